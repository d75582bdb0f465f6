import type { LocalMedia, Meeting } from "@conclave/client";

/** The public side of a meeting, which the interface uses. The gallery has a fake one. */
export type LiveMeeting = Omit<Pick<Meeting, keyof Meeting>, "localMedia" | "screen"> & {
  readonly localMedia: Pick<LocalMedia, keyof LocalMedia>;
  readonly screen: Pick<Meeting["screen"], "capture">;
};
