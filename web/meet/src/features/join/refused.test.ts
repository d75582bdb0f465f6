import { createElement } from "react";
import { expect, test } from "vitest";
import { alertsOf, buttonsOf, knownRefusals } from "../../../dev/drawn-page";
import { Refused } from "./refused";

/** The page of a refusal. */
function page(reason: string) {
  const refusal = { reason, message: null };
  const nothing = () => {};
  const answers = { onRetry: nothing, onReload: nothing, onHome: nothing };
  return createElement(Refused, { refusal, ...answers });
}

/** What the page of a refusal offers, the leading button first. */
const offers = (reason: string) => buttonsOf(page(reason));

const home = "Go to the start page";

/** What each refusal offers before the start page. */
const ways: Readonly<Record<string, readonly string[]>> = {
  not_found: [],
  link_expired: [],
  link_damaged: [],
  not_let_in: [],
  browser: [],
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

test.each([
  ["room_locked", "This room is locked"],
  ["not_found", "This room does not exist or its link has stopped working"],
  ["link_expired", "This link has expired"],
  ["denied", "You were not let in"],
])("%s is said at once", (reason, text) => {
  expect(alertsOf(page(reason))).toEqual([text]);
});
