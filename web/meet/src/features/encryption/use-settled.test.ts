import { createElement, useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { live } from "../../../dev/live-page";
import { settleTime, useSettled } from "./use-settled";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a code counts as seen once it has stayed on the screen for a while", async () => {
  let code = "12345";
  let isSettled = true;
  let draw = () => {};
  const Page = () => {
    const [, redraw] = useState(0);
    draw = () => redraw((times) => times + 1);
    isSettled = useSettled(code);
    return null;
  };
  const change = await live(createElement(Page));
  const pass = (milliseconds: number) => change(() => void vi.advanceTimersByTime(milliseconds));
  expect(isSettled).toBe(false);
  await pass(settleTime - 1);
  expect(isSettled).toBe(false);
  await pass(1);
  expect(isSettled).toBe(true);

  // Somebody joins, and soon somebody else.
  for (const next of ["23456", "34567"]) {
    code = next;
    await change(draw);
    expect(isSettled).toBe(false);
    await pass(settleTime - 1);
    expect(isSettled).toBe(false);
  }
  await pass(1);
  expect(isSettled).toBe(true);
});
