import type { Person } from "@conclave/client";
import { expect, test } from "vitest";
import {
  changesOf,
  handsUp,
  knockIn,
  knownAmong,
  newHands,
  newScreens,
  screensOf,
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

test("who begins to share a screen is told, also to those who come in then, but not to oneself", () => {
  const screen = {} as NonNullable<Person["screen"]>;
  const shares = (one: ReturnType<typeof person>) => ({ ...one, screen });
  const looks = (one: ReturnType<typeof person>) => ({ ...one, screen: null });
  const first = [shares(me), shares(bob), looks(cleo)];
  expect(newScreens(first, nobody)).toEqual(["Bob"]);
  const second = [looks(me), shares(bob), shares(cleo)];
  expect(newScreens(second, screensOf(first))).toEqual(["Cleo"]);
  expect(newScreens(second, screensOf(second))).toEqual([]);
});
