import { type Room, RoomEvent, Track } from "livekit-client";
import { afterEach, expect, test, vi } from "vitest";
import { EncryptionWorkerFailed, failureOf } from "./encryption-worker.js";
import { MediaConnection } from "./media-connection.js";
import type { Emitter } from "./testing/emitter.js";
import { HandClock } from "./testing/hand-clock.js";

const rooms = vi.hoisted((): Room[] => []);

vi.mock("livekit-client", async (original) => {
  const { Emitter } = await import("./testing/emitter.js");
  class FakeRoom extends Emitter {
    readonly engine = Object.assign(new Emitter(), { dataChannels: { reliable: {} } });
    readonly localParticipant = Object.assign(new Emitter(), { publishTrack: async () => {} });
    readonly remoteParticipants = new Map();
    readonly disconnect = async () => {};
    constructor() {
      super();
      rooms.push(this as unknown as Room);
    }
  }
  const livekit = await original<typeof import("livekit-client")>();
  return { ...livekit, Room: FakeRoom, isE2EESupported: () => true };
});

afterEach(() => vi.unstubAllGlobals());

test("a worker that cannot be loaded is noticed", async () => {
  const worker = new EventTarget() as unknown as Worker;
  const failure = failureOf(worker);
  worker.dispatchEvent(new Event("error"));
  await expect(failure).rejects.toBeInstanceOf(EncryptionWorkerFailed);
});

test("an error of a worker that has answered does not count as one that cannot be loaded", async () => {
  const worker = new EventTarget() as unknown as Worker;
  const failure = failureOf(worker);
  worker.dispatchEvent(new Event("message"));
  worker.dispatchEvent(new Event("error"));
  expect(await Promise.race([failure, Promise.resolve("still waiting")])).toBe("still waiting");
});

/** A connection that publishes a microphone. */
async function withMicrophone() {
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("MediaStream", class {});
  const muted: string[] = [];
  const nothing = () => {};
  const connection = new MediaConnection({
    clock: new HandClock(),
    group: null,
    createEncryptionWorker: () => new EventTarget() as Worker,
    onChange: nothing,
    onJoined: nothing,
    onInterrupted: nothing,
    onData: nothing,
    onMuted: (source) => void muted.push(source),
    onMaySend: nothing,
    onReachable: nothing,
  });
  const settings = { getSettings: () => ({}), getConstraints: () => ({}) };
  const track = Object.assign(new EventTarget(), settings, { kind: "audio", readyState: "live" });
  await connection.publish("microphone", true, track as unknown as MediaStreamTrack);
  const mute = () => {
    const publication = { source: Track.Source.Microphone, track: { mediaStreamTrack: track } };
    const room = rooms.at(-1) as unknown as Emitter;
    room.emit(RoomEvent.TrackMuted, publication, { isLocal: true });
  };
  const unplug = () => Object.assign(track, { readyState: "ended" });
  return { muted, mute, unplug };
}

test("a microphone that the media server mutes was muted by a host", async () => {
  const { muted, mute } = await withMicrophone();
  mute();
  expect(muted).toEqual(["microphone"]);
});

test("a microphone that is muted because it was unplugged was not muted by a host", async () => {
  const { muted, mute, unplug } = await withMicrophone();
  unplug();
  mute();
  expect(muted).toEqual([]);
});
