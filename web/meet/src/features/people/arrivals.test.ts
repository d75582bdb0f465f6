import type { Person } from "@conclave/client";
import { expect, test } from "vitest";
import {
  changesOf,
  followScreens,
  handsUp,
  knockIn,
  knownAmong,
  newHands,
  noScreens,
} from "./arrivals";

const person = <Name extends string | null>(identity: string, name: Name, isMe = false) => ({
  identity,
  name,
  isMe,
});
const me = person("guest_me", "Ada", true);
const bob = person("guest_bob", "Bob");
const cleo = person("guest_cleo", "Cleo");
const dan = person("guest_dan", "Dan");

test("people who were inside already are not announced when one enters", () => {
  const nameless = [person("guest_me", null, true), person("guest_bob", null)];
  for (const early of [[], nameless, [bob]]) expect(knownAmong(early)).toBeNull();
  const first = knownAmong([me, bob]);
  if (first === null) throw new Error("the list has oneself");
  expect(changesOf(null, first)).toEqual({ came: [], went: [] });

  const second = knownAmong([me, cleo]);
  if (second === null) throw new Error("the list has oneself");
  expect(changesOf(first, second)).toEqual({ came: ["Cleo"], went: ["Bob"] });
});

test("a person whose name comes later is announced with it", () => {
  const first = knownAmong([me, person("guest_bob", null)]);
  const second = knownAmong([me, bob]);
  if (first === null || second === null) throw new Error("the list has oneself");
  expect(changesOf(first, second).came).toEqual(["Bob"]);
});

const nobody: ReadonlySet<string> = new Set();

test("a host who comes in hears how many people wait", () => {
  expect(knockIn([bob], nobody)).toEqual({ name: "Bob", others: 0 });
  expect(knockIn([bob, cleo, dan], nobody)).toEqual({ name: "Bob", others: 2 });
});

test("a host hears who knocks, and how many wait by then", () => {
  expect(knockIn([bob, cleo], new Set(["guest_bob"]))).toEqual({ name: "Cleo", others: 1 });
});

test("nothing is said when people go, or stay", () => {
  expect(knockIn([cleo], new Set(["guest_bob", "guest_cleo"]))).toBeNull();
  expect(knockIn([], nobody)).toBeNull();
});

test("who puts up a hand is told, but not oneself, nor those who had it up before one came", () => {
  const up = (one: ReturnType<typeof person>) => ({ ...one, handRaised: true });
  const down = (one: ReturnType<typeof person>) => ({ ...one, handRaised: false });
  const first = [down(me), up(bob), down(cleo)];
  expect(newHands(first, null)).toEqual([]);
  const second = [up(me), up(bob), up(cleo)];
  expect(newHands(second, handsUp(first))).toEqual(["Cleo"]);
  expect(newHands(second, handsUp(second))).toEqual([]);
  expect(newHands(second, handsUp([down(me), down(bob), up(cleo)]))).toEqual(["Bob"]);
});

const screen = {} as NonNullable<Person["screen"]>;
const shares = (one: ReturnType<typeof person>) => ({ ...one, screen });
const looks = (one: ReturnType<typeof person>) => ({ ...one, screen: null });

test("who begins to share a screen is told, also to those who come in then, but not to oneself", () => {
  const first = followScreens([shares(me), shares(bob), looks(cleo)], noScreens, 0);
  expect(first.begun).toEqual(["Bob"]);
  const second = [looks(me), shares(bob), shares(cleo)];
  const then = followScreens(second, first.screens, 60_000);
  expect(then.begun).toEqual(["Cleo"]);
  expect(followScreens(second, then.screens, 120_000).begun).toEqual([]);
});

test("a shared screen that is away for a while is not told again", () => {
  const { screens } = followScreens([me, bob].map(shares), noScreens, 0);
  const away = followScreens([me, bob].map(looks), screens, 90_000);
  const back = followScreens([me, bob].map(shares), away.screens, 120_000);
  expect(back.begun).toEqual([]);
  const ended = followScreens([me, bob].map(looks), back.screens, 180_000);
  expect(followScreens([me, bob].map(shares), ended.screens, 210_001).begun).toEqual(["Bob"]);
});

test("a screen whose person has no name yet is told with the name", () => {
  const { screens, begun } = followScreens([shares(person("guest_bob", null))], noScreens, 0);
  expect(begun).toEqual([]);
  expect(followScreens([shares(bob)], screens, 100).begun).toEqual(["Bob"]);
});
