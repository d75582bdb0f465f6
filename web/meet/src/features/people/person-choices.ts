import { isOwnHost, isSpeaker, type Person } from "@conclave/client";
import type { Powers } from "./people-actions";

/** An item of a person's menu. */
export type Choice =
  | "rename"
  | "pin"
  | "unpin"
  | "spotlight"
  | "removeSpotlight"
  | "mute"
  | "askToUnmute"
  | "stopCamera"
  | "lowerHand"
  | "makeCohost"
  | "removeCohost"
  | "inviteToStage"
  | "moveToAudience"
  | "moveToRoom"
  | "remove";

export interface Onlooker {
  readonly powers: Powers;
  /** Whether the person's own name is theirs to change. */
  readonly mayRename: boolean;
  readonly isWebinar: boolean;
  readonly pinned: string | null;
  readonly hasBreakouts: boolean;
  /** Whether no more people fit into the spotlight. */
  readonly isSpotlightFull: boolean;
}

/** How many people the service allows in the spotlight. */
export const mostSpotlights = 3;

/** The items of a person's menu, in order, without those that the service would refuse. */
export function choicesAbout(person: Person, onlooker: Onlooker) {
  const { powers, mayRename, isWebinar, pinned, hasBreakouts, isSpotlightFull } = onlooker;
  const choices: Choice[] = [];
  if (person.isMe && mayRename) choices.push("rename");
  if (powers === "none") return choices;
  // The audience of a webinar has no tiles to pin, and may not speak. Breakout rooms have no audience.
  const isOnScreen = !isWebinar || isSpeaker(person) || person.breakoutId !== null;
  const isSeen = person.isHere && isOnScreen;
  const lighting: readonly Choice[] =
    person.spotlitAt !== null
      ? ["removeSpotlight"]
      : isSeen && !isSpotlightFull
        ? ["spotlight"]
        : [];
  if (isSeen && !person.isMe) choices.push(person.identity === pinned ? "unpin" : "pin");
  choices.push(...lighting);
  if (person.isMe) return choices;
  if (person.microphone) choices.push("mute");
  else if (isSeen) choices.push("askToUnmute");
  if (person.camera) choices.push("stopCamera");
  if (person.handRaised) choices.push("lowerHand");
  if (powers === "host") {
    if (person.cohost) choices.push("removeCohost");
    if (person.role === "participant") choices.push("makeCohost");
    if (isWebinar && person.role === "participant") {
      choices.push(person.onStage ? "moveToAudience" : "inviteToStage");
    }
  }
  // A co-host can neither remove nor move the room's own hosts.
  if (powers === "cohost" && isOwnHost(person)) return choices;
  if (hasBreakouts) choices.push("moveToRoom");
  choices.push("remove");
  return choices;
}
