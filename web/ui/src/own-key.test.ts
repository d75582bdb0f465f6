import { expect, test } from "vitest";
import { ownKey } from "./own-key";

const pressed = { key: "Escape", isComposing: false, keyCode: 27 };

test("a key that an input method takes is not for the page", () => {
  expect(ownKey(pressed)).toBe("Escape");
  expect(ownKey({ ...pressed, isComposing: true, keyCode: 229 })).toBeNull();
});

test("neither is the key that ended the input, in Safari, where it is over already", () => {
  expect(ownKey({ ...pressed, keyCode: 229 })).toBeNull();
});
