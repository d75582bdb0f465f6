import { expect, test } from "vitest";
import { KeyWatch, suspicionTime } from "./key-watch.js";

const count = (received: number, decoded: number) => ({ received, decoded });

test("nothing decoded of what came after a failure means that the keys differ", () => {
  const watch = new KeyWatch();
  watch.failed("a", count(100, 10), 0);
  expect(watch.observe("a", count(200, 10), suspicionTime - 1)).toBe(false);
  expect(watch.mismatches("a")).toBe(false);
  expect(watch.observe("a", count(300, 10), suspicionTime)).toBe(true);
  expect(watch.mismatches("a")).toBe(true);
  expect(watch.mismatches("b")).toBe(false);
});

test("a damaged frame among good ones raises no alarm", () => {
  const watch = new KeyWatch();
  watch.failed("a", count(100, 10), 0);
  expect(watch.observe("a", count(200, 11), suspicionTime)).toBe(false);
  expect(watch.doubted).toEqual([]);
});

test("nothing is said of the keys of a person who stopped sending", () => {
  const watch = new KeyWatch();
  watch.failed("a", count(100, 10), 0);
  expect(watch.observe("a", count(150, 10), suspicionTime / 2)).toBe(false);
  expect(watch.observe("a", count(150, 10), suspicionTime)).toBe(false);
  expect(watch.observe("a", count(150, 10), 10 * suspicionTime)).toBe(false);
  expect(watch.mismatches("a")).toBe(false);
  expect(watch.observe("a", count(160, 10), 10 * suspicionTime + 1)).toBe(true);
});

test("the verdict is lifted as soon as something is decoded, also after counters start again", () => {
  const watch = new KeyWatch();
  watch.failed("a", count(100, 10), 0);
  watch.observe("a", count(0, 0), suspicionTime - 1);
  watch.observe("a", count(50, 0), suspicionTime);
  expect(watch.mismatches("a")).toBe(true);
  expect(watch.observe("a", count(60, 1), suspicionTime + 1)).toBe(true);
  expect(watch.mismatches("a")).toBe(false);
});

test("the verdict stays while the person sends nothing that is asked for", () => {
  const watch = new KeyWatch();
  watch.failed("a", count(100, 10), 0);
  watch.observe("a", count(200, 10), suspicionTime);
  expect(watch.observe("a", count(200, 10), 2 * suspicionTime)).toBe(false);
  expect(watch.mismatches("a")).toBe(true);
  watch.clear();
  expect(watch.mismatches("a")).toBe(false);
});
