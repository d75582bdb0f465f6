import { EngineEvent, type Room, RoomEvent } from "livekit-client";
import { expect, test } from "vitest";
import type { Requirement } from "./asked-offers.js";
import { repairLibrary } from "./library-repairs.js";
import { Emitter } from "./testing/emitter.js";
import { HandClock } from "./testing/hand-clock.js";

/** A receiver as Chromium has them. */
function receiver(id: string) {
  const createEncodedStreams = () => ({
    readable: new ReadableStream(),
    writable: new WritableStream(),
  });
  return { track: { id }, createEncodedStreams };
}

/** The media library's transport that sends and receives, with a way in for each receiver. */
function transport(...ids: string[]) {
  const transceivers = ids.map((id) => ({ direction: "recvonly", receiver: receiver(id) }));
  const sending = { mid: "own", direction: "sendonly", receiver: receiver("own") };
  const pc = Object.assign(new EventTarget(), {
    getTransceivers: () => [sending, ...transceivers],
    signalingState: "stable",
    remoteDescription: { sdp: "" },
  });
  const opened = {
    state: "new",
    pendingInitialOffer: {} as unknown,
    latestOfferId: 1,
    renegotiate: false,
    getPlaceholderMids: () => new Set<string>(),
    getConnectionState: () => opened.state,
    pc,
    transceivers,
  };
  return opened;
}

/** A room whose Ada sends a camera, and a worker that remembers what it was told. */
function repaired({ sharesKey }: { sharesKey: boolean }) {
  const offered: Requirement[] = [];
  const onMediaSectionsRequirement = (asked: Requirement) => void offered.push(asked);
  const engine = Object.assign(new Emitter(), {
    pcManager: { publisher: transport("first") },
    client: { onMediaSectionsRequirement },
    dataChannels: { reliable: { isDeferringSends: () => false, reset: () => {} } },
  });
  const ada = {
    sid: "PA_ada",
    identity: "ada",
    trackPublications: new Map([
      ["TR_camera", { trackSid: "TR_camera", isDesired: true, isEncrypted: true }],
    ]),
  };
  const room = Object.assign(new Emitter(), {
    engine,
    localParticipant: { identity: "me" },
    remoteParticipants: new Map([["ada", ada]]),
  });
  const told: [kind: string, whose: unknown, track: unknown][] = [];
  const postMessage = ({ kind, data }: { kind: string; data: Record<string, unknown> }) =>
    told.push([kind, data["participantIdentity"], data["trackId"]]);
  // The library listens first.
  engine.on(EngineEvent.MediaTrackAdded, () => told.push(["the library", null, null]));
  const worker = { postMessage } as unknown as Worker;
  const clock = new HandClock();
  repairLibrary(room as unknown as Room, worker, sharesKey, clock);
  return { room, engine, told, offered, clock };
}

test("the worker gets the streams of all expected tracks when the room connects", () => {
  const { room, engine, told } = repaired({ sharesKey: true });
  room.emit(RoomEvent.SignalConnected);
  expect(told).toEqual([["decode", "me", "first"]]);
  const { pc, transceivers } = engine.pcManager.publisher;
  transceivers.push({ direction: "recvonly", receiver: receiver("second") });
  pc.dispatchEvent(new Event("signalingstatechange"));
  expect(told.slice(1)).toEqual([["decode", "me", "second"]]);
});

test("the worker gets the streams of a connection that the library makes anew", () => {
  const { engine, told } = repaired({ sharesKey: true });
  engine.pcManager.publisher = transport("again");
  engine.emit(EngineEvent.SignalRestarted);
  expect(told).toEqual([["decode", "me", "again"]]);
});

test("the worker learns whose frames come before the library does", () => {
  const { room, engine, told } = repaired({ sharesKey: false });
  room.emit(RoomEvent.SignalConnected);
  const [way] = engine.pcManager.publisher.transceivers;
  const stream = { id: "PA_ada|TR_camera" };
  engine.emit(EngineEvent.MediaTrackAdded, way?.receiver.track, stream, way?.receiver);
  expect(told).toEqual([
    ["decode", undefined, "first"],
    ["enable", "ada", undefined],
    ["updateCodec", "ada", "first"],
    ["the library", null, null],
  ]);
});

test("a stream of a stranger, or of a track that nobody announced, is left to the library", () => {
  const { engine, told } = repaired({ sharesKey: false });
  const unknown = receiver("unknown");
  for (const id of ["PA_eve|TR_camera", "PA_ada|TR_screen", "PA_ada"]) {
    engine.emit(EngineEvent.MediaTrackAdded, unknown.track, { id }, unknown);
  }
  expect(told.map(([kind]) => kind)).toEqual(["the library", "the library", "the library"]);
});

test("a transport counts as connecting while its first offer is being answered", () => {
  const { engine } = repaired({ sharesKey: true });
  const { publisher } = engine.pcManager;
  expect(publisher.getConnectionState()).toBe("new");
  engine.emit(EngineEvent.SignalConnected);
  expect(publisher.getConnectionState()).toBe("connecting");
});

test("a section of this device that sends is not a placeholder", () => {
  const { engine } = repaired({ sharesKey: true });
  const { publisher } = engine.pcManager;
  publisher.getPlaceholderMids = () => new Set(["own"]);
  engine.emit(EngineEvent.SignalConnected);
  expect([...publisher.getPlaceholderMids()]).toEqual([]);
});

test("a request for an offer ends with its connection, also one after a resumed signal", () => {
  const { room, engine, offered, clock } = repaired({ sharesKey: true });
  const { publisher } = engine.pcManager;
  publisher.pendingInitialOffer = undefined;
  publisher.pc.remoteDescription.sdp = "a=msid:PA_ada|TR_camera TR_camera";
  engine.emit(EngineEvent.SignalResumed);
  const ends = [() => engine.emit(EngineEvent.Restarting), () => room.emit(RoomEvent.Disconnected)];
  for (const end of ends) {
    engine.client.onMediaSectionsRequirement({ numAudios: 0, numVideos: 0 });
    end();
    clock.pass(1000);
    expect(offered).toEqual([]);
  }
});

test("the media server's requests for offers wait only where nothing is lacking", () => {
  const { engine, offered } = repaired({ sharesKey: true });
  const { publisher } = engine.pcManager;
  publisher.pendingInitialOffer = undefined;
  publisher.pc.remoteDescription.sdp = "a=msid:PA_ada|TR_camera TR_camera";
  engine.emit(EngineEvent.SignalConnected);
  engine.client.onMediaSectionsRequirement({ numAudios: 0, numVideos: 0 });
  expect(offered).toEqual([]);

  engine.client.onMediaSectionsRequirement({ numAudios: 0, numVideos: 1 });
  expect(offered).toEqual([{ numAudios: 0, numVideos: 1 }]);

  engine.client.onMediaSectionsRequirement({ numAudios: 0, numVideos: 0 });
  publisher.pc.remoteDescription.sdp = "";
  engine.emit(EngineEvent.ParticipantUpdate);
  expect(offered.slice(1)).toEqual([{ numAudios: 0, numVideos: 0 }]);
});
