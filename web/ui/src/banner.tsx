import { X } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import "./banner.css";
import { IconButton } from "./icon-button";

export interface BannerProps {
  readonly children: ReactNode;
  readonly tone?: "plain" | "amber" | "danger";
  /** Its text changes all the time, so changes are not read out. */
  readonly isTicking?: boolean;
}

/** A message above the stage. */
export function Banner({ children, tone = "plain", isTicking = false }: BannerProps) {
  return (
    <div
      className={`banner banner-${tone}`}
      role="status"
      {...(isTicking ? { "aria-live": "off" } : {})}
    >
      {children}
    </div>
  );
}

const passingTime = 8000;

export interface PassingBannerProps {
  readonly children: ReactNode;
  readonly dismissLabel: string;
  readonly onOver: () => void;
}

/** A banner that disappears by itself after a while, or when it is dismissed. */
export function PassingBanner({ children, dismissLabel, onOver }: PassingBannerProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time runs from its appearance.
  useEffect(() => {
    const timer = setTimeout(onOver, passingTime);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Banner>
      {children}
      <Dismiss label={dismissLabel} onPress={onOver} />
    </Banner>
  );
}

export interface DismissProps {
  readonly label: string;
  readonly onPress: () => void;
}

export function Dismiss({ label, onPress }: DismissProps) {
  return <IconButton label={label} icon={<X size={16} />} onPress={onPress} />;
}
