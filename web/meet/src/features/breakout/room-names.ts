import type { BreakoutSession, Place } from "@conclave/client";

type Translate = (key: "breakout.mainRoom" | "breakout.unnamed") => string;

/** What a place is called. */
export function placeName({ breakoutId, name }: Place, t: Translate): string {
  if (breakoutId === null) return t("breakout.mainRoom");
  return name ?? t("breakout.unnamed");
}

/** The rooms that somebody may go into by themselves, from where they are. */
export function openTo(session: BreakoutSession, here: string | null) {
  const { assigned, may_choose } = session.you;
  return session.rooms.filter(({ id }) => id !== here && (may_choose || id === assigned));
}
