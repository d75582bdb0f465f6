import { expect, test } from "vitest";
import type { RecordableMedia } from "../recordable-media.js";
import type { Person } from "../roster.js";
import { Casting } from "./casting.js";

function person(identity: string, more: Partial<Person> = {}): Person {
  return {
    identity,
    name: identity.toUpperCase(),
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
    breakoutId: null,
    isHere: true,
    microphone: true,
    camera: null,
    screen: null,
    speaking: false,
    quality: "good",
    protection: "encrypted",
    ...more,
  };
}

const video = { track: {} as MediaStreamTrack, keep: () => () => {} };
const screen: RecordableMedia = { camera: null, screen: video, sounds: [] };
const nobodys: ReadonlyMap<string, RecordableMedia> = new Map();
const seen = (
  casting: Casting,
  people: readonly Person[],
  recordable = nobodys,
  hasAudience = false,
) => casting.scene(people, recordable, hasAudience, 0).tiles.map(({ identity }) => identity);

test("only the people in this room are in the recording", () => {
  const people = [
    person("a"),
    person("b", { isHere: false }),
    person("c", { connected: false }),
    person("d"),
  ];
  expect(seen(new Casting(), people)).toEqual(["a", "d"]);
});

test("an audience is not in the recording; hosts and people on stage are", () => {
  const people = [person("a"), person("b", { role: "host" }), person("c", { onStage: true })];
  expect(seen(new Casting(), people, nobodys, true)).toEqual(["b", "c"]);
});

test("people keep their places, and a speaker from further back gets one in front", () => {
  const casting = new Casting();
  const people = ["a", "b", "c", "d", "e", "f"].map((identity) => person(identity));
  expect(seen(casting, people)).toEqual(["a", "b", "c", "d", "e", "f"]);
  const speaking = people.map((one) => (one.identity === "f" ? { ...one, speaking: true } : one));
  expect(seen(casting, speaking).slice(0, 4)).toContain("f");
  const order = seen(casting, speaking);
  expect(seen(casting, people)).toEqual(order);
});

test("the first screen stays large while a second one is shared", () => {
  const casting = new Casting();
  const people = [person("a"), person("b")];
  const large = (sharers: readonly string[]) => {
    const recordable = new Map(sharers.map((identity) => [identity, screen]));
    return casting.scene(people, recordable, false, 0).tiles[0]?.picture;
  };
  expect(large(["b"])).toBe("screen b");
  expect(large(["a", "b"])).toBe("screen b");
  expect(large(["a"])).toBe("screen a");
});
