import { expect, test } from "vitest";
import { limitText } from "./limit-text";

/** Types or pastes at the caret, which is a bar, and returns the text with the caret. */
function typed(before: string, added: string, limit: number): string {
  const [left, right] = before.split("|") as [string, string];
  const edited = { text: left + added + right, caret: left.length + added.length };
  const { text, caret } = limitText(left + right, edited, limit);
  return `${text.slice(0, caret ?? 0)}|${text.slice(caret ?? 0)}`;
}

test("a text may have as many code points as the limit says", () => {
  expect(typed("|", "🙂".repeat(31), 60)).toBe(`${"🙂".repeat(31)}|`);
  expect(typed("|", "🙂".repeat(61), 60)).toBe(`${"🙂".repeat(60)}|`);
  expect(typed("|", "x".repeat(61), 60)).toBe(`${"x".repeat(60)}|`);
});

test("what is typed into a full text goes nowhere, and what was there stays", () => {
  expect(typed("ab|cd", "x", 4)).toBe("ab|cd");
  expect(typed("aa|aa", "a", 4)).toBe("aa|aa");
  expect(typed("🙂|🙂", "🙃", 2)).toBe("🙂|🙂");
  expect(typed("|🙂🙂", "🙂", 2)).toBe("|🙂🙂");
});

test("as much of what is pasted stays as there is room for", () => {
  expect(typed("ab|cd", "xyz", 6)).toBe("abxy|cd");
  expect(typed("a|c", "🙂🙃", 3)).toBe("a🙂|c");
});

test("what is pasted over a selection takes its place", () => {
  const edited = { text: "axyzd", caret: 4 };
  expect(limitText("abcd", edited, 4)).toEqual({ text: "axyd", caret: 3 });
  // The two emoji have their first half in common.
  expect(limitText("🙂", { text: "🙃🙃", caret: 4 }, 1)).toEqual({ text: "🙃", caret: 2 });
});

test("a text that was too long before can be made shorter, but not longer", () => {
  expect(typed("abc|def", "x", 4)).toBe("abc|def");
  expect(limitText("abcdef", { text: "abdef", caret: 2 }, 4)).toEqual({ text: "abdef", caret: 2 });
});

test("a field without a caret takes what fits", () => {
  expect(limitText("ab", { text: "abcde", caret: null }, 4)).toEqual({ text: "abcd", caret: null });
  expect(limitText("abcd", { text: "abxcd", caret: null }, 4)).toEqual({
    text: "abcd",
    caret: null,
  });
});
