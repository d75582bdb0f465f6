import type { Poll } from "@conclave/client";
import { Banner, Dismiss } from "@conclave/ui/banner";
import { Button } from "@conclave/ui/button";
import { useTranslation } from "react-i18next";

export interface PollBannerProps {
  readonly poll: Poll;
  readonly onView: () => void;
  readonly onDismiss: () => void;
}

/** Tells the person of a new poll. */
export function PollBanner({ poll, onView, onDismiss }: PollBannerProps) {
  const { t } = useTranslation();
  return (
    <Banner>
      <p className="banner-text">
        {t("banner.newPoll")} <bdi className="banner-name">{poll.question}</bdi>
      </p>
      <Button onPress={onView}>{t("banner.viewPoll")}</Button>
      <Dismiss label={t("banner.dismiss")} onPress={onDismiss} />
    </Banner>
  );
}
