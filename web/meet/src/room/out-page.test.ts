import { type Observable, Value } from "@conclave/client/door";
import type { RecordingEnd } from "@conclave/client/recording/recorder";
import { createElement } from "react";
import { expect, test, vi } from "vitest";
import { buttonsOf } from "../../dev/drawn-page";
import { OutPage } from "./out-page";
import { Unsent } from "./unsent";

// The page is drawn once, as on a server.
vi.mock("@conclave/ui/use-observable", () => ({
  useObservable: (value: Observable<unknown>) => value.get(),
}));

/** The page of a person with a redirect_url, and their recorder, which still sends. */
function setUp() {
  const unsent = new Unsent();
  const isUnsent = new Value(true);
  const ended = new Value<RecordingEnd | null>("left");
  unsent.watch({ isUnsent, ended });
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
  return { page, isUnsent, ended };
}

test("a person goes on by hand when the end of their recording was lost, and not while it is sent", () => {
  const { page, isUnsent, ended } = setUp();
  expect(buttonsOf(page)).toEqual(["Rejoin", "Go to the start page"]);
  ended.set("too_late");
  isUnsent.set(false);
  expect(buttonsOf(page)).toEqual(["Continue", "Rejoin", "Go to the start page"]);
});
