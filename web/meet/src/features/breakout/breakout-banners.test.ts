import type { BreakoutSession, Whereabouts } from "@conclave/client";
import { Value } from "@conclave/client/pre-join";
import { useObservable } from "@conclave/ui/use-observable";
import { createElement } from "react";
import { expect, test } from "vitest";
import { live } from "../../../dev/live-page";
import { BreakoutBanners } from "./breakout-banners";

/** Loading React for a browser takes long on a busy machine. */
const patient = { timeout: 60_000 };

/** The banners of a person who is assigned a room, and how often its invitation was drawn. */
async function invited() {
  const seen = { place: null as string | null, isPanelOpen: false };
  const state = new Value(seen);
  let drawn = 0;
  const room = {
    id: "r2",
    members: [],
    get name() {
      drawn += 1;
      return "Garden";
    },
  };
  const rooms: BreakoutSession["rooms"] = [room];
  const whereabouts: Whereabouts = { breakoutId: null, name: null, movingTo: null };
  const Banners = () => {
    const { place, isPanelOpen } = useObservable(state);
    const you = { place, assigned: "r2", can_return: true, may_choose: false };
    return createElement(BreakoutBanners, {
      session: { rooms, you } as unknown as BreakoutSession,
      whereabouts,
      secondsLeft: null,
      isNarrow: false,
      announcement: null,
      onDismiss: () => {},
      isPanelOpen,
      actions: { join: () => {} },
    });
  };
  const change = await live(createElement(Banners));
  const isDrawn = async (next: Partial<typeof seen>) => {
    drawn = 0;
    await change(() => state.update((before) => ({ ...before, ...next })));
    return drawn > 0;
  };
  return { isDrawn, isDrawnAtFirst: drawn > 0 };
}

test(
  "an invitation that was used while the panel was open does not come back",
  patient,
  async () => {
    const { isDrawn, isDrawnAtFirst } = await invited();
    expect(isDrawnAtFirst).toBe(true);
    expect(await isDrawn({ isPanelOpen: true })).toBe(false);
    expect(await isDrawn({ isPanelOpen: false })).toBe(true);
    expect(await isDrawn({ isPanelOpen: true })).toBe(false);
    expect(await isDrawn({ place: "r2" })).toBe(false);
    expect(await isDrawn({ place: null })).toBe(false);
    expect(await isDrawn({ isPanelOpen: false })).toBe(false);
  },
);

test(
  "an invitation that was used stays away when the panel opens and closes",
  patient,
  async () => {
    const { isDrawn } = await invited();
    expect(await isDrawn({ place: "r2" })).toBe(false);
    expect(await isDrawn({ place: null })).toBe(false);
    expect(await isDrawn({ isPanelOpen: true })).toBe(false);
    expect(await isDrawn({ isPanelOpen: false })).toBe(false);
  },
);
