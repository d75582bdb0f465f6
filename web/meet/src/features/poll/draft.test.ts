import { expect, test } from "vitest";
import { type Draft, emptyDraft, read } from "./draft";

const filled = (change: Partial<Draft>): Draft => ({
  ...emptyDraft,
  question: "Tea?",
  options: ["yes", "no"],
  ...change,
});

test("a draft becomes a poll without empty lines and surrounding spaces", () => {
  expect(read(filled({ question: " Tea? ", options: ["", " yes", "no "] }))).toEqual({
    poll: {
      question: "Tea?",
      options: ["yes", "no"],
      kind: "single",
      anonymous: false,
      results: "live",
    },
  });
  const secret = filled({ isMultiple: true, isAnonymous: true, results: "after_close" });
  expect(read(secret)).toMatchObject({
    poll: { kind: "multiple", anonymous: true, results: "after_close" },
  });
});

test.each<[string, Partial<Draft>, unknown]>([
  [
    "nothing",
    { question: " ", options: ["", ""] },
    { question: "missing", options: ["missing", "missing"] },
  ],
  [
    "one answer",
    { options: ["yes", "", ""] },
    { question: null, options: [null, "missing", null] },
  ],
  [
    "one answer, below",
    { options: ["", "", "yes"] },
    { question: null, options: ["missing", "missing", null] },
  ],
  [
    "the same twice",
    { options: ["yes", "no", " yes "] },
    { question: null, options: [null, null, "twice"] },
  ],
  [
    "a question of 241",
    { question: "é".repeat(241) },
    { question: "tooLong", options: [null, null] },
  ],
  [
    "an answer of 121",
    { options: ["x".repeat(121), "no"] },
    { question: null, options: ["tooLong", null] },
  ],
])("the problems of a draft: %s", (_, change, problems) => {
  expect(read(filled(change))).toEqual({ problems });
});

test("texts of exactly the limit are accepted, counted in characters", () => {
  const options = ["😀".repeat(120), ..."bcdefghij"];
  expect(read(filled({ question: "é".repeat(240), options }))).toHaveProperty("poll");
});
