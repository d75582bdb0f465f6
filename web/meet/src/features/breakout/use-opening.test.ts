import { createElement } from "react";
import { expect, test, vi } from "vitest";
import { live } from "../../../dev/live-page";
import { useOpening } from "./use-opening";

test("rooms that are open and not shown yet are not opened again", async () => {
  vi.useFakeTimers();
  const answers = [false, true];
  let opening: ReturnType<typeof useOpening> | null = null;
  const Form = () => {
    opening = useOpening(async () => answers.shift() ?? false);
    return null;
  };
  const change = await live(createElement(Form));
  const isOpening = () => opening?.isOpening;
  expect(isOpening()).toBe(false);
  await change(() => opening?.open());
  expect(isOpening()).toBe(false); // refused
  await change(() => opening?.open());
  expect(isOpening()).toBe(true);
  // The event does not come.
  await change(() => void vi.advanceTimersByTime(10_000));
  expect(isOpening()).toBe(false);
  vi.useRealTimers();
});
