import { expect, test } from "vitest";
import { fakePerson } from "../../../dev/fake-person";
import { emptinessOf } from "./empty-room";

const me = fakePerson("me", { isMe: true });

test("a person is the first one if the list has nobody else", () => {
  expect(emptinessOf([me], false)).toBe("first");
  expect(emptinessOf([me], true)).toBe("first");
  expect(emptinessOf([me, fakePerson("ada")], false)).toBeNull();
});

test("nobody is called the first one before the list of people has come", () => {
  expect(emptinessOf([], false)).toBeNull();
  expect(emptinessOf([{ ...me, name: null }], false)).toBeNull();
  expect(emptinessOf([{ ...me, name: null }], true)).toBeNull();
});

test("the others may all be in other rooms", () => {
  const elsewhere = fakePerson("ada", { isHere: false, breakoutId: "b" });
  expect(emptinessOf([me, elsewhere], false)).toBe("elsewhere");
});

test("an audience is told when nobody is on stage", () => {
  const listener = fakePerson("ada");
  const speaker = fakePerson("ben", { onStage: true });
  expect(emptinessOf([me, listener], true)).toBe("silent");
  expect(emptinessOf([me, listener, speaker], true)).toBeNull();
});
