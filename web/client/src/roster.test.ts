import { expect, test } from "vitest";
import { encryptionState } from "./encryption-state.js";
import { type MediaPerson, mergeRoster, type Person, raisedHands } from "./roster.js";
import type { RosterEntry } from "./wire.js";

function entry(identity: string, more: Partial<RosterEntry> = {}): RosterEntry {
  return {
    identity,
    name: identity.toUpperCase(),
    role: "participant",
    avatar: null,
    hand_raised: false,
    hand_raised_at: null,
    joined_at: "2026-01-01T00:00:00.000Z",
    cohost: false,
    on_stage: false,
    ...more,
  };
}

function media(identity: string, more: Partial<MediaPerson> = {}): MediaPerson {
  return {
    identity,
    microphone: true,
    camera: null,
    screen: null,
    speaking: false,
    quality: "good",
    protection: "encrypted",
    ...more,
  };
}

const inMedia = (...people: MediaPerson[]) => new Map(people.map((p) => [p.identity, p]));

test("names come from the service, media from the media server", () => {
  const people = mergeRoster([entry("a"), entry("b")], inMedia(media("b"), media("a")), "a", []);
  expect(people.map((person) => [person.name, person.isMe, person.microphone])).toEqual([
    ["A", true, true],
    ["B", false, true],
  ]);
});

test("whom only one side knows is still there: without a name, or not connected yet", () => {
  const people = mergeRoster([entry("a")], inMedia(media("x")), "a", []);
  expect(people.map(({ identity, name, connected }) => [identity, name, connected])).toEqual([
    ["a", "A", false],
    ["x", null, true],
  ]);
});

test("whoever did not change stays the same object, and so does a list in which nobody did", () => {
  const entries = [entry("a"), entry("b")];
  const before = mergeRoster(entries, inMedia(media("a"), media("b")), "a", []);
  const same = mergeRoster(entries, inMedia(media("a"), media("b")), "a", before);
  expect(same).toBe(before);
  const after = mergeRoster(
    entries,
    inMedia(media("a"), media("b", { speaking: true })),
    "a",
    before,
  );
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
});

test("hands stand in the order in which they went up", () => {
  const people = mergeRoster(
    [
      entry("a", { hand_raised: true, hand_raised_at: "2026-01-01T00:00:02.000Z" }),
      entry("b"),
      entry("c", { hand_raised: true, hand_raised_at: "2026-01-01T00:00:01.000Z" }),
    ],
    new Map(),
    "a",
    [],
  );
  expect(raisedHands(people).map((person) => person.identity)).toEqual(["c", "a"]);
});

test("one wrong key is that person's; when nobody's fits, it is mine", () => {
  const list = (...wrong: string[]): readonly Person[] =>
    mergeRoster(
      [entry("me"), entry("a"), entry("b")],
      inMedia(
        media("me"),
        ...["a", "b"].map((identity) =>
          media(identity, { protection: wrong.includes(identity) ? "key_mismatch" : "encrypted" }),
        ),
      ),
      "me",
      [],
    );
  expect(encryptionState(false, list())).toBe("starting");
  expect(encryptionState(true, list())).toBe("encrypted");
  expect(encryptionState(true, list("a"))).toBe("encrypted");
  expect(encryptionState(true, list("a", "b"))).toBe("key_mismatch");
});
