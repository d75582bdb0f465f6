import { expect, test } from "vitest";
import { textParts } from "./text-parts";

test("web addresses become links, without the full stop after them", () => {
  expect(textParts("See https://example.com/a?b=1. Or (http://x.example)!")).toEqual([
    { kind: "text", text: "See ", at: 0 },
    { kind: "link", text: "https://example.com/a?b=1", at: 4 },
    { kind: "text", text: ". Or (", at: 29 },
    { kind: "link", text: "http://x.example", at: 35 },
    { kind: "text", text: ")!", at: 51 },
  ]);
});

test("only http and https become links", () => {
  const text = "javascript:alert(1) data:text/html,x ftp://example.com";
  expect(textParts(text)).toEqual([{ kind: "text", text, at: 0 }]);
});
