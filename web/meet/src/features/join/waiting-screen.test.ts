import {
  type LocalMedia,
  type Observable,
  type Seat,
  Value,
  type WaitingState,
} from "@conclave/client/pre-join";
import { createElement } from "react";
import { expect, test, vi } from "vitest";
import { drawnWhole } from "../../../dev/drawn-page";
import { WaitingScreen } from "./waiting-screen";

// The page is drawn once, as on a server.
vi.mock("@conclave/ui/use-observable", () => ({
  useObservable: (value: Observable<unknown>) => value.get(),
}));
vi.mock("./preview", () => ({ Preview: () => null, unknownSettings: {} }));

test.each<[string, WaitingState]>([
  ["Waiting for a host to let you in", { kind: "waiting", decision: "knock" }],
  ["Waiting for the host to arrive", { kind: "waiting", decision: "wait_for_host" }],
  ["You are let in", { kind: "admitted", seat: {} as Seat }],
  ["Waiting for a host to let you in", { kind: "over", reason: "denied" }],
])("a person reads %j while the waiting room is %j", async (text, state) => {
  const waitingRoom = { state: new Value(state), room: new Value(null) };
  const markup = await drawnWhole(
    createElement(WaitingScreen, {
      waitingRoom,
      media: {} as LocalMedia,
      visitor: { name: "Ada", avatar: null },
      hasExpired: false,
      devices: null,
      onAskAgain: () => {},
      onLeave: () => {},
    }),
  );
  expect(markup.match(/role="status"[^>]*>(.*?)</)?.[1]).toBe(text);
});
