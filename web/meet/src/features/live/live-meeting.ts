import type { LocalMedia, Meeting } from "@conclave/client";

/** The public side of a meeting, which the interface uses. The gallery has a fake one. */
export type LiveMeeting = Omit<
  Pick<Meeting, keyof Meeting>,
  "localMedia" | "screen" | "hosting"
> & {
  readonly localMedia: Pick<LocalMedia, keyof LocalMedia>;
  readonly hosting: Pick<Meeting["hosting"], keyof Meeting["hosting"]>;
  readonly screen: Pick<Meeting["screen"], "capture">;
};
