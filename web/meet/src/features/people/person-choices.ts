import { isOwnHost, isSpeaker, type Person } from "@conclave/client";
import type { Powers } from "./people-actions";

/** An item of a person's menu. */
export type Choice =
  | "pin"
  | "unpin"
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
  readonly isWebinar: boolean;
  readonly pinned: string | null;
  readonly hasBreakouts: boolean;
}

/** The items of a person's menu, in order, without those that the service would refuse. */
export function choicesAbout(person: Person, onlooker: Onlooker) {
  const { powers, isWebinar, pinned, hasBreakouts } = onlooker;
  const choices: Choice[] = [];
  if (powers === "none" || person.isMe) return choices;
  // The audience of a webinar has no tiles to pin, and may not speak. Breakout rooms have no audience.
  const isOnScreen = !isWebinar || isSpeaker(person) || person.breakoutId !== null;
  const isSeen = person.isHere && isOnScreen;
  if (isSeen) choices.push(person.identity === pinned ? "unpin" : "pin");
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
