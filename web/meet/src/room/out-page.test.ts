import type { Observable } from "@conclave/client/pre-join";
import { createElement } from "react";
import { expect, test, vi } from "vitest";
import { buttonsOf, drawnWhole } from "../../dev/drawn-page";
import { playedRecorder } from "../../dev/played-recorder";
import { newsOf, OutPage } from "./out-page";
import { Unsent } from "./unsent";

// The page is drawn once, as on a server.
vi.mock("@conclave/ui/use-observable", () => ({
  useObservable: (value: Observable<unknown>) => value.get(),
}));

/** The page of a person with a redirect_url, and their recorder, which still sends. */
function setUp(isOfMember = true) {
  const unsent = new Unsent();
  const recorder = playedRecorder(true, isOfMember);
  unsent.watch(recorder);
  recorder.ended.set("left");
  const nothing = () => {};
  const page = createElement(OutPage, {
    reason: "left",
    connectionTest: "/connection-test",
    unsent,
    onContinue: nothing,
    onRejoin: nothing,
    onReload: nothing,
    onHome: nothing,
  });
  const said = async () => (await drawnWhole(page)).match(/role="status"[^>]*>(.*?)</)?.[1];
  return { page, unsent, said, ...recorder };
}

/** A member's recording whose rest is sent. */
const rest = { hadRest: true, hasRest: true, isStalled: false, isOfMember: true } as const;

test("a person goes on by hand when the end of their recording was lost, and not while it is sent", () => {
  const { page, isUnsent, ended } = setUp();
  expect(buttonsOf(page)).toEqual(["Rejoin", "Go to the start page"]);
  ended.set("too_late");
  isUnsent.set(false);
  expect(buttonsOf(page)).toEqual(["Continue", "Rejoin", "Go to the start page"]);
});

test("the page says when nothing can be sent right now", async () => {
  const { said, isStalled } = setUp();
  expect(await said()).toBe("The rest of the recording is being sent. Keep this page open.");
  isStalled.set(true);
  expect(await said()).toMatch(/^Nothing of the recording could be sent for a minute\./);
});

test("once all is sent the page says so, in the same place, unless there was nothing to send", async () => {
  const { said, isUnsent } = setUp();
  isUnsent.set(false);
  expect(await said()).toBe("");
  const sent = { ...rest, hasRest: false, end: "left" } as const;
  expect(newsOf(sent)).toBe("recording.sent");
  expect(newsOf({ ...sent, hadRest: false })).toBeNull();
  expect(newsOf({ ...sent, end: "too_late" })).toBe("recording.ended.too_late");
});

test("a host without an account reads that members find the recording", () => {
  const { unsent } = setUp(false);
  const { isOfMember } = unsent;
  expect(newsOf({ ...rest, hasRest: false, end: "left", isOfMember })).toBe(
    "recording.sentForMembers",
  );
});

test.each([
  ["that did not begin", null],
  ["whose browser may have kept the rest", "encoder"],
] as const)("the page does not say that a recording %s was sent", (_, end) => {
  expect(newsOf({ ...rest, hasRest: false, end })).toBeNull();
});
