import { expect, test } from "vitest";
import { StreamParser } from "./sse-parser.js";

const stream =
  "id: 7\nevent: people\ndata: [1,\ndata: 2]\n\n: still here\n\nevent: room\ndata:x\n\n";
const messages = [
  { event: "people", data: "[1,\n2]", id: "7" },
  { event: "room", data: "x", id: "7" },
];

test("parses a stream, and keeps an id for the messages after it", () => {
  expect(new StreamParser().push(stream)).toEqual(messages);
});

test("accepts any cut between pieces, and any line end", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const text = stream.replaceAll("\n", end);
    const parser = new StreamParser();
    const found = [...text].flatMap((letter) => parser.push(letter));
    // A lone CR at the very end may still become CRLF, so it waits for the next letter.
    found.push(...parser.push(":\n"));
    expect(found).toEqual(messages);
  }
});

test("starts from the id of an earlier stream", () => {
  expect(new StreamParser("3").push("data: a\n\n")).toEqual([
    { event: "message", data: "a", id: "3" },
  ]);
});

test("an event without data is not dispatched, and does not rename the next one", () => {
  expect(new StreamParser().push("event: room\n\ndata: a\n\n")).toEqual([
    { event: "message", data: "a", id: "" },
  ]);
});
