import { afterEach, expect, test, vi } from "vitest";
import { Value } from "./observable.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** What the code under test puts off, for the test to run. */
function putOff(): readonly (() => void)[] {
  const tasks: (() => void)[] = [];
  vi.stubGlobal("queueMicrotask", (task: () => void) => void tasks.push(task));
  return tasks;
}

test("listeners hear of a change in the order in which they came, and not after they left", () => {
  const value = new Value(0);
  const heard: string[] = [];
  value.subscribe(() => heard.push(`first ${value.get()}`));
  const leave = value.subscribe(() => heard.push(`second ${value.get()}`));
  value.subscribe(() => heard.push(`third ${value.get()}`));
  value.set(1);
  expect(heard).toEqual(["first 1", "second 1", "third 1"]);
  leave();
  value.set(2);
  expect(heard.slice(3)).toEqual(["first 2", "third 2"]);
});

test("listeners hear nothing when the value stays the same", () => {
  const value = new Value("a");
  const listener = vi.fn();
  value.subscribe(listener);
  value.set("a");
  value.update((text) => text);
  expect(listener).not.toHaveBeenCalled();
});

test("a listener that throws keeps no other from hearing, and its error is reported later", () => {
  const later = putOff();
  const value = new Value(0);
  const heard: string[] = [];
  value.subscribe(() => heard.push("first"));
  value.subscribe(() => {
    throw new Error("broken");
  });
  value.subscribe(() => heard.push("last"));
  value.set(1);
  value.set(2);
  expect(heard).toEqual(["first", "last", "first", "last"]);
  expect(later).toHaveLength(2);
  for (const report of later) expect(report).toThrow("broken");
});
