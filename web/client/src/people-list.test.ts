import { expect, test } from "vitest";
import { PeopleList } from "./people-list.js";
import type { RosterEntry } from "./wire.js";

function entry(name: string, second: number, more: Partial<RosterEntry> = {}): RosterEntry {
  return {
    identity: `guest_${name}.x`,
    name,
    role: "participant",
    avatar: null,
    hand_raised: false,
    hand_raised_at: null,
    joined_at: `2026-11-20T10:00:0${second}.000Z`,
    cohost: false,
    on_stage: false,
    breakout_id: null,
    ...more,
  };
}

const ada = entry("ada", 1);
const bob = entry("bob", 2);
const cyd = entry("cyd", 3);
const names = (list: PeopleList) => list.entries.map(({ name }) => name);

function listOfAdaAndBob(): PeopleList {
  const list = new PeopleList();
  expect(list.change({ since: null, revision: "r1", changed: [ada, bob], removed: [] })).toBe(true);
  return list;
}

test("a change adds, updates and removes people, in the order of arrival", () => {
  const list = listOfAdaAndBob();
  const raised = { ...ada, hand_raised: true };
  const zoe = entry("zoe", 1);
  expect(
    list.change({ since: "r1", revision: "r2", changed: [raised, zoe, cyd], removed: [] }),
  ).toBe(true);
  expect(names(list)).toEqual(["ada", "zoe", "bob", "cyd"]);
  expect(list.get(ada.identity)?.hand_raised).toBe(true);
  expect(list.entries[2]).toBe(bob);
  expect(
    list.change({ since: "r2", revision: "r3", changed: [], removed: [bob.identity, "nobody"] }),
  ).toBe(true);
  expect(names(list)).toEqual(["ada", "zoe", "cyd"]);
  expect(list.get(bob.identity)).toBeUndefined();
});

test("a person who comes back moves to their new place in the list", () => {
  const list = listOfAdaAndBob();
  list.change({ since: "r1", revision: "r2", changed: [entry("ada", 5)], removed: [] });
  expect(names(list)).toEqual(["bob", "ada"]);
});

test("refuses changes when one before them was lost, and goes on with a whole list", () => {
  const list = listOfAdaAndBob();
  const removal = { changed: [], removed: [bob.identity] };
  expect(list.change({ since: "r2", revision: "r3", ...removal })).toBe(false);
  expect(names(list)).toEqual(["ada", "bob"]);
  expect(list.change({ since: null, revision: "r3", changed: [ada, cyd], removed: [] })).toBe(true);
  expect(names(list)).toEqual(["ada", "cyd"]);
  expect(list.change({ since: "r3", revision: "r4", changed: [bob], removed: [] })).toBe(true);
  expect(names(list)).toEqual(["ada", "bob", "cyd"]);
});

test("refuses changes that come twice or in another order", () => {
  const list = listOfAdaAndBob();
  const second = { since: "r1", revision: "r2", changed: [cyd], removed: [] };
  const third = { since: "r2", revision: "r3", changed: [], removed: [cyd.identity] };
  expect(list.change(third)).toBe(false);
  expect(list.change(second)).toBe(true);
  expect(list.change(second)).toBe(false);
  expect(list.change(third)).toBe(true);
  expect(names(list)).toEqual(["ada", "bob"]);
});

test("refuses changes of a list that came without a name", () => {
  const list = listOfAdaAndBob();
  list.replace([cyd]);
  expect(list.change({ since: "r1", revision: "r2", changed: [], removed: [] })).toBe(false);
  expect(names(list)).toEqual(["cyd"]);
});
