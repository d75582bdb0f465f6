import { createElement } from "react";
import { expect, test } from "vitest";
import { drawnWhole } from "../../../dev/drawn-page";
import { CompareCode } from "./compare-code";

test("nobody can say at once that everybody has a code that has just appeared", async () => {
  const page = await drawnWhole(
    createElement(CompareCode, {
      code: { digits: ["12345"], emoji: [] },
      extent: "some",
      isAlone: false,
      onCompared: () => {},
    }),
  );
  expect(page).toMatch(/<button[^>]* aria-disabled="true"/);
});
