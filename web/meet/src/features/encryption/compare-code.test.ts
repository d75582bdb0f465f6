import type { ButtonProps } from "@conclave/ui/button";
import { createElement, useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { drawnWhole } from "../../../dev/drawn-page";
import { live } from "../../../dev/live-page";
import { CompareCode, type CompareCodeProps } from "./compare-code";

const shown = vi.hoisted(() => ({ reason: "", press: () => {} }));
vi.mock("@conclave/ui/button", async (load) => {
  const { Button } = await load<typeof import("@conclave/ui/button")>();
  const followed = (props: ButtonProps) => {
    shown.reason = props["aria-describedby"] ?? "";
    shown.press = props.onPress ?? (() => {});
    return createElement(Button, props);
  };
  return { Button: followed };
});

beforeEach(() => {
  shown.reason = "";
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const first: CompareCodeProps = {
  code: { digits: ["12345"], emoji: [] },
  extent: "no",
  isAlone: false,
  onCompared: () => {},
};

/** Draws the code, and returns what draws it with another, and what presses the button. */
async function comparing(from: Partial<CompareCodeProps> = {}) {
  let next = (_: Partial<CompareCodeProps>) => {};
  const Page = () => {
    const [props, set] = useState({ ...first, ...from });
    next = (more) => set({ ...props, ...more });
    return createElement(CompareCode, props);
  };
  const change = await live(createElement(Page));
  return {
    show: (digits: string, more: Partial<CompareCodeProps> = {}) =>
      change(() => next({ code: { digits: [digits], emoji: [] }, ...more })),
    press: () => change(() => shown.press()),
  };
}

test("nobody can say at once that everybody has a code that has just appeared", async () => {
  const page = await drawnWhole(createElement(CompareCode, { ...first, extent: "some" }));
  expect(page).toMatch(/<button[^>]* aria-disabled="true"/);
});

test("a code that changed says so until the person presses, and one that appears does not", async () => {
  const code = await comparing();
  expect(shown.reason).toBe("");
  await code.show("12345", { extent: "some" });
  expect(shown.reason).toBe("");
  await code.show("23456");
  expect(shown.reason).not.toBe("");
  await code.show("23456");
  expect(shown.reason).not.toBe("");
  await code.press();
  expect(shown.reason).toBe("");
  await code.show("34567");
  expect(shown.reason).not.toBe("");
});

test("the first code that there is somebody to compare with has not changed", async () => {
  const code = await comparing({ isAlone: true });
  await code.show("23456", { isAlone: false });
  expect(shown.reason).toBe("");
});
