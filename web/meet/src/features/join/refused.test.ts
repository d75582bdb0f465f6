import { createElement } from "react";
import { expect, test } from "vitest";
import { buttonsOf, knownRefusals } from "../../../dev/drawn-page";
import { Refused } from "./refused";

/** What the page of a refusal offers, the leading button first. */
function offers(reason: string): readonly (string | undefined)[] {
  const refusal = { reason, message: null };
  const nothing = () => {};
  const answers = { onRetry: nothing, onReload: nothing, onHome: nothing };
  return buttonsOf(createElement(Refused, { refusal, ...answers }));
}

const home = "Go to the start page";

/** What each refusal offers before the start page. */
const ways: Readonly<Record<string, readonly string[]>> = {
  not_found: [],
  link_expired: [],
  link_damaged: [],
  not_let_in: [],
  encryption_strict: ["Reload"],
  room_locked: ["Try again"],
  denied: ["Try again"],
  removed: ["Try again"],
  network: ["Try again"],
  rate_limited: ["Try again"],
  waiting_full: ["Try again"],
  media_unavailable: ["Try again"],
  unknown: ["Try again"],
};

test.each(Object.entries(ways))("%s offers %j before the start page", (reason, way) => {
  expect(offers(reason)).toEqual([...way, home]);
});

test("a refusal without a text of its own may be tried again", () => {
  expect(offers("something_new")).toEqual(["Try again", home]);
});

test("the table has every refusal that has a text", () => {
  expect(Object.keys(ways).toSorted()).toEqual(knownRefusals.toSorted());
});
