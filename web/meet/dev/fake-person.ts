import type { Person } from "@conclave/client";

/** A participant in the main room, connected, with the microphone on. */
export function fakePerson(identity: string, more: Partial<Person> = {}): Person {
  return {
    identity,
    name: identity,
    role: "participant",
    cohost: false,
    onStage: false,
    avatar: null,
    handRaised: false,
    handRaisedAt: null,
    joinedAt: null,
    spotlitAt: null,
    isMe: false,
    connected: true,
    microphone: true,
    camera: null,
    screen: null,
    speaking: false,
    quality: "good",
    protection: "encrypted",
    breakoutId: null,
    isHere: true,
    ...more,
  };
}
