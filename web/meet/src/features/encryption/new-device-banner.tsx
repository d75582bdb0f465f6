import { Banner, Dismiss } from "@conclave/ui/banner";
import { Button } from "@conclave/ui/button";
import { useTranslation } from "react-i18next";

export interface NewDeviceBannerProps {
  /** Opens the code; null while it is shown. */
  readonly onCompare: (() => void) | null;
  readonly onDismiss: () => void;
}

/** Tells a person who compared the code that it no longer says everything. */
export function NewDeviceBanner({ onCompare, onDismiss }: NewDeviceBannerProps) {
  const { t } = useTranslation();
  return (
    <Banner tone="amber">
      <p className="banner-text">{t("compare.added")}</p>
      {onCompare ? <Button onPress={onCompare}>{t("compare.again")}</Button> : null}
      <Dismiss label={t("banner.dismiss")} onPress={onDismiss} />
    </Banner>
  );
}
