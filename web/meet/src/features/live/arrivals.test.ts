import { expect, test } from "vitest";
import { changesOf, knownAmong } from "./arrivals";

const person = (identity: string, name: string | null, isMe = false) => ({ identity, name, isMe });
const me = person("guest_me", "Ada", true);
const bob = person("guest_bob", "Bob");
const cleo = person("guest_cleo", "Cleo");

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
