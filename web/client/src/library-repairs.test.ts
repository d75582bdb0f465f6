import { EngineEvent, type Room, RoomEvent } from "livekit-client";
import { expect, test } from "vitest";
import { repairLibrary } from "./library-repairs.js";

type Listener = (...args: unknown[]) => void;

/** Emits events to its listeners in their order, as the media library's objects do. */
class Emitter {
  readonly #listeners = new Map<string, Listener[]>();

  on(event: string, listener: Listener): void {
    this.#listeners.set(event, [...this.#of(event), listener]);
  }

  prependListener(event: string, listener: Listener): void {
    this.#listeners.set(event, [listener, ...this.#of(event)]);
  }

  emit(event: string, ...args: unknown[]): void {
    for (const listener of this.#of(event)) listener(...args);
  }

  #of(event: string): readonly Listener[] {
    return this.#listeners.get(event) ?? [];
  }
}

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
  const sending = { direction: "sendonly", receiver: receiver("own") };
  const pc = Object.assign(new EventTarget(), {
    getTransceivers: () => [sending, ...transceivers],
  });
  const opened = {
    state: "new",
    pendingInitialOffer: {},
    getConnectionState: () => opened.state,
    pc,
    transceivers,
  };
  return opened;
}

/** A room whose Ada sends a camera, and a worker that remembers what it was told. */
function repaired({ sharesKey }: { sharesKey: boolean }) {
  const engine = Object.assign(new Emitter(), {
    pcManager: { publisher: transport("first") },
  });
  const ada = {
    sid: "PA_ada",
    identity: "ada",
    trackPublications: new Map([["TR_camera", { isEncrypted: true }]]),
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
  repairLibrary(room as unknown as Room, { postMessage } as unknown as Worker, sharesKey);
  return { room, engine, told };
}

test("the worker gets the streams of everything that is to be received when the room connects", () => {
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
