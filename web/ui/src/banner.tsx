import { X } from "lucide-react";
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from "react";
import "./banner.css";
import { BannerQueue, type BannerRank } from "./banner-queue";
import { IconButton } from "./icon-button";
import { keepFocus } from "./keep-focus";

const Queue = createContext<BannerQueue | null>(null);

export interface BannerLineProps {
  /** Whether there is hardly room for more than one banner, so that the others wait their turn. */
  readonly isSingle: boolean;
  readonly children: ReactNode;
}

/** Holds the banners of a screen. */
export function BannerLine({ isSingle, children }: BannerLineProps) {
  const [queue] = useState(() => new BannerQueue());
  return <Queue value={isSingle ? queue : null}>{children}</Queue>;
}

const never = () => () => {};

/** Whether it is this banner's turn to be shown. */
export function useTurn(rank: BannerRank): boolean {
  const queue = useContext(Queue);
  const [id] = useState(() => Symbol());
  useEffect(() => queue?.join(id, rank), [queue, id, rank]);
  return useSyncExternalStore(queue?.subscribe ?? never, () => queue === null || queue.shows(id));
}

export interface BannerProps {
  readonly children: ReactNode;
  readonly tone?: "plain" | "amber" | "danger";
  readonly rank?: BannerRank;
  /** Not read out, because its text changes all the time or something else says it. */
  readonly isSilent?: boolean;
}

/** A message above the tiles. It keeps the focus when a control in it has done its work and is gone. */
export function Banner({ rank = "news", ...props }: BannerProps) {
  return useTurn(rank) ? <Box {...props} /> : null;
}

function Box({ children, tone = "plain", isSilent = false }: Omit<BannerProps, "rank">) {
  return (
    <div
      ref={keepFocus}
      className={`banner banner-${tone}`}
      role="status"
      tabIndex={-1}
      {...(isSilent ? { "aria-live": "off" } : {})}
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
export function PassingBanner(props: PassingBannerProps) {
  return useTurn("passing") ? <PassingBox {...props} /> : null;
}

function PassingBox({ children, dismissLabel, onOver }: PassingBannerProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time runs from its appearance.
  useEffect(() => {
    const timer = setTimeout(onOver, passingTime);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Box>
      {typeof children === "string" ? <p className="banner-text">{children}</p> : children}
      <Dismiss label={dismissLabel} onPress={onOver} />
    </Box>
  );
}

export interface DismissProps {
  readonly label: string;
  readonly onPress: () => void;
}

export function Dismiss({ label, onPress }: DismissProps) {
  return <IconButton label={label} icon={<X size={16} />} onPress={onPress} />;
}
