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

test.each([
  ...["061C", "200E", "200F", "202A", "202B", "202C", "202D", "202E"],
  ...["2066", "2067", "2068", "2069"],
])("a link ends before U+%s, which could disguise it", (code) => {
  const rest = `${String.fromCodePoint(Number.parseInt(code, 16))}moc.knab`;
  expect(textParts(`https://a.example/${rest}`)).toEqual([
    { kind: "link", text: "https://a.example/", at: 0 },
    { kind: "text", text: rest, at: 18 },
  ]);
});
