import { createElement, useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { live } from "../../../dev/live-page";
import { standTime, useHasStood } from "./use-has-stood";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a code counts as seen once it has stayed on the screen for a while", async () => {
  let code = "12345";
  let hasStood = true;
  let draw = () => {};
  const Page = () => {
    const [, redraw] = useState(0);
    draw = () => redraw((times) => times + 1);
    hasStood = useHasStood(code);
    return null;
  };
  const change = await live(createElement(Page));
  const pass = (milliseconds: number) => change(() => void vi.advanceTimersByTime(milliseconds));
  expect(hasStood).toBe(false);
  await pass(standTime - 1);
  expect(hasStood).toBe(false);
  await pass(1);
  expect(hasStood).toBe(true);

  // Somebody joins, and soon somebody else.
  for (const next of ["23456", "34567"]) {
    code = next;
    await change(draw);
    expect(hasStood).toBe(false);
    await pass(standTime - 1);
    expect(hasStood).toBe(false);
  }
  await pass(1);
  expect(hasStood).toBe(true);
});
