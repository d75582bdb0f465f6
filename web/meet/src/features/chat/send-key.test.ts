import { expect, test } from "vitest";
import { isSendKey } from "./send-key";

const enter = { key: "Enter", shiftKey: false, isComposing: false, keyCode: 13 };

test("Enter sends, and with Shift it begins a line", () => {
  expect(isSendKey(enter)).toBe(true);
  expect(isSendKey({ ...enter, shiftKey: true })).toBe(false);
  expect(isSendKey({ ...enter, key: "a", keyCode: 65 })).toBe(false);
});

test("Enter in an input method sends nothing", () => {
  expect(isSendKey({ ...enter, isComposing: true, keyCode: 229 })).toBe(false);
});

test("in Safari, neither does the Enter that ends the input, when it is over already", () => {
  expect(isSendKey({ ...enter, keyCode: 229 })).toBe(false);
});
