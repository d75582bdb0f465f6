import type { LocalMedia, Meeting } from "@conclave/client";

/** What the interface uses of a meeting: its public side, which the gallery can play as well. */
export type LiveMeeting = Omit<Pick<Meeting, keyof Meeting>, "localMedia" | "screen"> & {
  readonly localMedia: Pick<LocalMedia, keyof LocalMedia>;
  readonly screen: Pick<Meeting["screen"], "capture">;
};
