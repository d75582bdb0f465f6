import type { BreakoutSession, Place } from "@conclave/client";

type Translate = (key: "breakout.mainRoom" | "breakout.unnamed") => string;

/** The name of a room. */
export function placeName({ breakoutId, name }: Place, t: Translate): string {
  if (breakoutId === null) return t("breakout.mainRoom");
  return name ?? t("breakout.unnamed");
}

/** The rooms that a person may go into by themselves, without the one they are in. */
export function openTo(session: BreakoutSession, here: string | null) {
  const { assigned, may_choose } = session.you;
  return session.rooms.filter(({ id }) => id !== here && (may_choose || id === assigned));
}
