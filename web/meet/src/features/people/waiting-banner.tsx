import type { Knocking } from "@conclave/client";
import { Banner, Dismiss } from "@conclave/ui/banner";
import { Button } from "@conclave/ui/button";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { useJustMoved } from "./use-just-moved";
import { useWaitingMarks } from "./waiting-marks";

export interface WaitingBannerProps {
  /** The people who knock, oldest first. */
  readonly waiting: readonly Knocking[];
  /** Whether the list of people is open, which says the same and has the same buttons. */
  readonly isListed: boolean;
  /** Opens the list of people. */
  readonly onView: () => void;
  readonly onAdmit: (identity: string) => void;
}

/**
 * Tells hosts that someone waits, until a host answers or dismisses the banner. It names the person
 * who knocked first, and "Admit" admits that person, not the next one at a double click. The
 * announcer reads it out.
 */
export function WaitingBanner({ waiting, isListed, onView, onAdmit }: WaitingBannerProps) {
  const { t } = useTranslation();
  const nameId = useId();
  const dismissed = useWaitingMarks(waiting);
  const fresh = waiting.filter(({ identity }) => !dismissed.marked.has(identity));
  const [first] = fresh;
  const isAnother = useJustMoved(first?.identity ?? null);
  if (!first || isListed) return null;
  const admit = () => {
    if (!isAnother()) onAdmit(first.identity);
  };
  return (
    <Banner tone="amber" isSilent>
      <p className="banner-text">
        <span>{t("banner.waiting")}</span>{" "}
        <bdi id={nameId} className="banner-name">
          {first.name}
        </bdi>{" "}
        {fresh.length > 1 ? t("banner.waitingMore", { count: fresh.length - 1 }) : null}
      </p>
      <Button look="primary" aria-describedby={nameId} onPress={admit}>
        {t("people.admit")}
      </Button>
      <Button onPress={onView}>{t("banner.view")}</Button>
      <Dismiss label={t("banner.dismiss")} onPress={() => dismissed.mark(waiting)} />
    </Banner>
  );
}
