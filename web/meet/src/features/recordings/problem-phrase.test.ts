import { expect, test } from "vitest";
import { textOf } from "../../../dev/drawn-page";
import { openingProblem, problemPhrase } from "./problem-phrase";

test("a person with too many devices reads what to do about it", () => {
  const { key } = openingProblem({ kind: "refused", code: "limit_reached" });
  expect(textOf(key)).toMatch(/^You have too many devices .* Revoke one on your account page/);
});

test("a code without a text of its own has the general one", () => {
  expect(textOf(problemPhrase("brand_new").key)).toMatch(/Try again in a moment/);
});
