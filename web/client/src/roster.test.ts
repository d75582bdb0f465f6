import { expect, test } from "vitest";
import { encryptionState } from "./encryption-state.js";
import { type MediaPerson, mergeRoster, type Person, raisedHands, spotlit } from "./roster.js";
import { rosterEntry as entry } from "./testing/roster-entry.js";

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

const me = { identity: "a", breakoutId: null };
const inMedia = (...people: MediaPerson[]) => new Map(people.map((p) => [p.identity, p]));

test("names come from the service, media from the media server", () => {
  const people = mergeRoster([entry("a"), entry("b")], inMedia(media("b"), media("a")), me, []);
  expect(people.map((person) => [person.name, person.isMe, person.microphone])).toEqual([
    ["A", true, true],
    ["B", false, true],
  ]);
});

test("a person that only one side knows is listed, without a name or as not connected", () => {
  const people = mergeRoster([entry("a")], inMedia(media("x")), me, []);
  expect(people.map(({ identity, name, connected }) => [identity, name, connected])).toEqual([
    ["a", "A", false],
    ["x", null, true],
  ]);
});

test("people in other rooms are listed as elsewhere, unless they are still connected here", () => {
  const here = { identity: "a", breakoutId: "r1" };
  const entries = [
    entry("a", { breakout_id: "r1" }),
    entry("b", { breakout_id: "r1" }),
    entry("c", { breakout_id: "r2" }),
    entry("d"),
    entry("e", { breakout_id: null }),
  ];
  const people = mergeRoster(entries, inMedia(media("e")), here, []);
  expect(people.map(({ identity, isHere, connected }) => [identity, isHere, connected])).toEqual([
    ["a", true, false],
    ["b", true, false],
    ["c", false, false],
    ["d", false, false],
    ["e", true, true],
  ]);
  const moved = mergeRoster(entries, inMedia(), { ...here, breakoutId: null }, []);
  expect(moved.filter(({ isHere }) => isHere).map(({ identity }) => identity)).toEqual([
    "a",
    "d",
    "e",
  ]);
});

test("an unchanged person stays the same object, and so does an unchanged list", () => {
  const entries = [entry("a"), entry("b")];
  const before = mergeRoster(entries, inMedia(media("a"), media("b")), me, []);
  const same = mergeRoster(entries, inMedia(media("a"), media("b")), me, before);
  expect(same).toBe(before);
  const after = mergeRoster(
    entries,
    inMedia(media("a"), media("b", { speaking: true })),
    me,
    before,
  );
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
});

test("raised hands are in the order in which they went up", () => {
  const people = mergeRoster(
    [
      entry("a", { hand_raised: true, hand_raised_at: "2026-01-01T00:00:02.000Z" }),
      entry("b"),
      entry("c", { hand_raised: true, hand_raised_at: "2026-01-01T00:00:01.000Z" }),
    ],
    new Map(),
    me,
    [],
  );
  expect(raisedHands(people).map((person) => person.identity)).toEqual(["c", "a"]);
});

test("one key mismatch is that person's; when every key mismatches, this device's is wrong", () => {
  const list = (...wrong: string[]): readonly Person[] =>
    mergeRoster(
      [entry("me"), entry("a"), entry("b")],
      inMedia(
        media("me"),
        ...["a", "b"].map((identity) =>
          media(identity, { protection: wrong.includes(identity) ? "key_mismatch" : "encrypted" }),
        ),
      ),
      { identity: "me", breakoutId: null },
      [],
    );
  const on = { isEncrypted: true, group: null };
  const off = { isEncrypted: false, group: null };
  expect(encryptionState(off, list())).toBe("starting");
  expect(encryptionState(on, list())).toBe("encrypted");
  expect(encryptionState(on, list("a"))).toBe("encrypted");
  expect(encryptionState(on, list("a", "b"))).toBe("key_mismatch");
});

test("the people in the spotlight are in the order in which hosts put them there", () => {
  const people = mergeRoster(
    [
      entry("a", { spotlit_at: "2026-01-01T00:00:02.000Z" }),
      entry("b"),
      entry("c", { spotlit_at: "2026-01-01T00:00:01.000Z" }),
    ],
    new Map(),
    { identity: "b", breakoutId: null },
    [],
  );
  expect(spotlit(people).map(({ identity }) => identity)).toEqual(["c", "a"]);
});
