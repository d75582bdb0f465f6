import { IconButton } from "@conclave/ui/icon-button";
import { X } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import "./banners.css";

export interface BannerProps {
  readonly children: ReactNode;
  readonly tone?: "plain" | "amber" | "danger";
}

/** Something to know now, above the stage. */
export function Banner({ children, tone = "plain" }: BannerProps) {
  return (
    <div className={`banner banner-${tone}`} role="status">
      {children}
    </div>
  );
}

const passingTime = 8000;

export interface PassingBannerProps {
  readonly children: ReactNode;
  readonly onOver: () => void;
}

/** Goes by itself after a while, or at once. */
export function PassingBanner({ children, onOver }: PassingBannerProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time runs from when it appeared.
  useEffect(() => {
    const timer = setTimeout(onOver, passingTime);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Banner>
      {children}
      <Dismiss onPress={onOver} />
    </Banner>
  );
}

export function Dismiss({ onPress }: { readonly onPress: () => void }) {
  const { t } = useTranslation();
  return <IconButton label={t("banner.dismiss")} icon={<X size={16} />} onPress={onPress} />;
}
