import { expect, test } from "vitest";
import { KeyWatch, suspicionTime } from "./key-watch.js";

test("nothing decoded after a failure means that the keys differ", () => {
  const watch = new KeyWatch();
  watch.failed("a", 10, 0);
  expect(watch.observe("a", 10, suspicionTime - 1)).toBe(false);
  expect(watch.mismatches("a")).toBe(false);
  expect(watch.observe("a", 10, suspicionTime)).toBe(true);
  expect(watch.mismatches("a")).toBe(true);
  expect(watch.mismatches("b")).toBe(false);
});

test("a damaged frame among good ones raises no alarm", () => {
  const watch = new KeyWatch();
  watch.failed("a", 10, 0);
  expect(watch.observe("a", 11, suspicionTime)).toBe(false);
  expect(watch.doubted).toEqual([]);
});

test("the verdict is lifted as soon as something is decoded, also after counters start again", () => {
  const watch = new KeyWatch();
  watch.failed("a", 10, 0);
  watch.observe("a", 0, suspicionTime);
  expect(watch.mismatches("a")).toBe(true);
  expect(watch.observe("a", 1, suspicionTime + 1)).toBe(true);
  expect(watch.mismatches("a")).toBe(false);
});
