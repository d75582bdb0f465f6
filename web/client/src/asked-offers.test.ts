import { expect, test } from "vitest";
import { AskedOffers } from "./asked-offers.js";
import { HandClock } from "./testing/hand-clock.js";

/** A connection on which Ada's camera is negotiated, and the offers that are made on it. */
function connected() {
  const clock = new HandClock();
  const wanted = ["TR_camera"];
  const transport = {
    latestOfferId: 3,
    pendingInitialOffer: undefined as unknown,
    renegotiate: false,
    pc: {
      signalingState: "stable" as RTCSignalingState,
      remoteDescription: { sdp: "a=msid:PA_ada|TR_camera TR_camera" } as RTCSessionDescription,
    },
  };
  const made: number[] = [];
  const offers = new AskedOffers(clock, () => wanted);
  const ask = () =>
    offers.postpone(transport, () => {
      transport.latestOfferId += 1;
      made.push(transport.latestOfferId);
    });
  return { clock, wanted, transport, made, offers, ask };
}

test("an offer that brings nothing that is known waits for half a second", () => {
  const { clock, made, ask } = connected();
  ask();
  clock.pass(499);
  expect(made).toEqual([]);
  clock.pass(1);
  expect(made).toEqual([4]);
});

test("a track that is known and not negotiated gets its offer at once", () => {
  const { clock, wanted, made, ask } = connected();
  wanted.push("TR_microphone");
  ask();
  expect(made).toEqual([4]);
  clock.pass(1000);
  expect(made).toEqual([4]);
});

test("a track that is announced after the request gets its offer at once", () => {
  const { wanted, made, offers, ask } = connected();
  ask();
  wanted.push("TR_microphone");
  offers.check();
  expect(made).toEqual([4]);
});

test("an offer that was made meanwhile serves the request", () => {
  const { clock, wanted, transport, made, offers, ask } = connected();
  ask();
  transport.latestOfferId += 1;
  clock.pass(1000);
  expect(made).toEqual([]);

  ask();
  transport.latestOfferId += 1;
  wanted.push("TR_microphone");
  offers.check();
  expect(made).toEqual([]);
});

test("an offer that is about to be made serves the request", () => {
  const { wanted, transport, made, offers, ask } = connected();
  transport.renegotiate = true;
  wanted.push("TR_microphone");
  ask();
  expect(made).toEqual([]);
  transport.latestOfferId += 1;
  transport.renegotiate = false;
  offers.check();
  expect(made).toEqual([]);
});

test("no offer is made while an answer is being applied", () => {
  const { transport, made, offers, ask } = connected();
  transport.pc.signalingState = "have-local-offer";
  transport.pc.remoteDescription = { sdp: "" } as RTCSessionDescription;
  ask();
  expect(made).toEqual([]);
  transport.pc.signalingState = "stable";
  offers.check();
  expect(made).toEqual([4]);
});

test("no second offer is made while the first is being answered", () => {
  const { transport, made, offers, ask } = connected();
  transport.pendingInitialOffer = {};
  transport.pc.remoteDescription = { sdp: "" } as RTCSessionDescription;
  ask();
  expect(made).toEqual([]);
  transport.pendingInitialOffer = undefined;
  offers.check();
  expect(made).toEqual([4]);
});

test("no offer is made on a connection that is over", () => {
  const { clock, made, offers, ask } = connected();
  ask();
  offers.close();
  clock.pass(1000);
  expect(made).toEqual([]);
});
