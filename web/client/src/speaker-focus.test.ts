import { expect, test } from "vitest";
import { arrange, type Company, holdFocus, nextFocus, noFocus } from "./speaker-focus.js";

/** People without cameras, of whom some speak. */
const company = (present: readonly string[], speaking: readonly string[] = []): Company => ({
  present,
  speaking,
  seen: [],
  spoke: new Map(),
});

test("the focus stays through silence and short interjections", () => {
  const there = ["a", "b"];
  const first = nextFocus(noFocus, there, ["a"], 0);
  expect(first.identity).toBe("a");
  expect(nextFocus(first, there, [], 60_000)).toBe(first);
  expect(nextFocus(first, there, ["b"], holdFocus - 1)).toBe(first);
  expect(nextFocus(first, there, ["b"], holdFocus).identity).toBe("b");
});

test("nobody takes the focus from someone who goes on speaking", () => {
  const focus = { identity: "a", since: 0 };
  expect(nextFocus(focus, ["a", "b"], ["b", "a"], 60_000)).toBe(focus);
});

test("a person who leaves loses the focus at once", () => {
  const focus = { identity: "a", since: 0 };
  expect(nextFocus(focus, ["b", "c"], ["c"], 1).identity).toBe("c");
  expect(nextFocus(focus, ["b", "c"], [], 1).identity).toBe("b");
  expect(nextFocus(focus, [], [], 1).identity).toBeNull();
});

test("tiles keep their places while the speakers are on the first page", () => {
  const order = ["a", "b", "c", "d"];
  expect(arrange(order, company(order, ["b"]), 2)).toBe(order);
});

test("a speaker from a later page changes places with the person who was silent longest", () => {
  const order = ["a", "b", "c", "d"];
  const spoke = new Map([
    ["a", 5],
    ["b", 9],
  ]);
  const there = { ...company(order, ["d"]), spoke };
  expect(arrange(order, there, 2)).toEqual(["d", "b", "c", "a"]);
});

test("speakers are never sent away for another speaker", () => {
  const order = ["a", "b", "c"];
  expect(arrange(order, company(order, order), 2)).toBe(order);
});

test("a person who comes is added at the end, and one who leaves is removed", () => {
  expect(arrange(["a", "b"], company(["b", "c"]), 9)).toEqual(["b", "c"]);
});

test("a person with a camera comes before one without, and takes nobody's picture away", () => {
  const order = ["a", "b", "c", "d"];
  const seen = (...people: string[]) => ({ ...company(order), seen: people });
  expect(arrange(order, seen("d"), 2)).toEqual(["a", "d", "c", "b"]);
  expect(arrange(order, seen("a", "d"), 2)).toEqual(["a", "d", "c", "b"]);
  expect(arrange(order, seen("a", "b", "d"), 2)).toBe(order);
  // A person who reached the first page by speaking stays there while silent.
  const spoke = new Map([["b", 1]]);
  expect(arrange(order, { ...seen("d"), spoke }, 2)).toEqual(["d", "b", "c", "a"]);
  expect(arrange(order, { ...seen("c", "d"), spoke }, 2)).toEqual(["c", "b", "a", "d"]);
});
