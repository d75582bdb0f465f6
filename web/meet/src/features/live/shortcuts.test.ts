import { expect, test } from "vitest";
import { type KeyPress, shortcutOf } from "./shortcuts";

function press(key: string, code: string, held: Partial<KeyPress> = {}): KeyPress {
  return { key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held };
}

test("the keys do what the list of shortcuts says", () => {
  const ctrl = { ctrlKey: true };
  const ctrlAlt = { ctrlKey: true, altKey: true };
  expect(shortcutOf(press("d", "KeyD", ctrl), true, true)).toBe("toggleMicrophone");
  expect(shortcutOf(press("e", "KeyE", { metaKey: true }), false, false)).toBe("toggleCamera");
  expect(shortcutOf(press("˙", "KeyH", ctrlAlt), true, true)).toBe("toggleHand");
  expect(shortcutOf(press("c", "KeyC", ctrlAlt), false, false)).toBe("toggleChat");
  expect(shortcutOf(press("p", "KeyP", ctrlAlt), false, false)).toBe("togglePeople");
  expect(shortcutOf(press("F2", "F2"), true, true)).toBe("goToToolbar");
  expect(shortcutOf(press("?", "Slash", { shiftKey: true }), false, true)).toBe("showHelp");
  expect(shortcutOf(press("c", "KeyC", ctrl), false, false)).toBeNull();
});

test("Space talks only while no control has the focus, and typing is left alone", () => {
  const space = press(" ", "Space");
  expect(shortcutOf(space, false, false)).toBe("talk");
  expect(shortcutOf(space, false, true)).toBeNull();
  expect(shortcutOf(space, true, true)).toBeNull();
  expect(shortcutOf(press("?", "Slash", { shiftKey: true }), true, true)).toBeNull();
});
