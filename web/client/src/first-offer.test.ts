import { expect, test } from "vitest";
import { countFirstOffer } from "./first-offer";

/** A transport whose state and first offer a test decides. */
function transportIn(state: string, pendingInitialOffer?: object) {
  const transport = { state, pendingInitialOffer, getConnectionState: () => transport.state };
  countFirstOffer(transport);
  return transport;
}

test("a transport whose first offer is not answered yet is connecting", () => {
  expect(transportIn("new", { sdp: "v=0" }).getConnectionState()).toBe("connecting");
});

test("a transport that has made no offer is new", () => {
  expect(transportIn("new").getConnectionState()).toBe("new");
});

test("every other state is left as it is", () => {
  const transport = transportIn("connecting", { sdp: "v=0" });
  for (const state of ["connecting", "connected", "failed", "closed"]) {
    transport.state = state;
    expect(transport.getConnectionState()).toBe(state);
  }
});
