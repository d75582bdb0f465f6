import { expect, test } from "vitest";
import { arrange, holdFocus, nextFocus, noFocus } from "./speaker-focus.js";

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
  expect(arrange(order, order, ["b"], new Map(), 2)).toBe(order);
});

test("a speaker from a later page changes places with the person who was silent longest", () => {
  const order = ["a", "b", "c", "d"];
  const spoke = new Map([
    ["a", 5],
    ["b", 9],
  ]);
  expect(arrange(order, order, ["d"], spoke, 2)).toEqual(["d", "b", "c", "a"]);
});

test("speakers are never sent away for another speaker", () => {
  const order = ["a", "b", "c"];
  expect(arrange(order, order, ["a", "b", "c"], new Map(), 2)).toBe(order);
});

test("a person who comes is added at the end, and one who leaves is removed", () => {
  expect(arrange(["a", "b"], ["b", "c"], [], new Map(), 9)).toEqual(["b", "c"]);
});
