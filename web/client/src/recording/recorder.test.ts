import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Value } from "../observable.js";
import type { You } from "../wire.js";
import { type RecordedMeeting, Recorder } from "./recorder.js";
import type { SoundMixerOptions } from "./sound-mixer.js";
import type { FromWorker, ToWorker } from "./worker-messages.js";

const sound = vi.hoisted(() => ({ open: 0, onSilent: (_isSilent: boolean) => {} }));

// Node has no sound and no encoders.
vi.mock("./sound-mixer.js", () => ({
  SoundMixer: {
    open: async ({ onSilent }: SoundMixerOptions) => {
      sound.open += 1;
      sound.onSilent = onSilent;
      return {
        begin: () => {},
        set: () => {},
        close: () => {
          sound.open -= 1;
        },
      };
    },
  },
}));
vi.mock("./support.js", async (original) => ({
  ...(await original<typeof import("./support.js")>()),
  recordingSupport: async () => ({
    format: { container: "mp4", video: "avc", audio: "aac" },
    obstacle: null,
  }),
}));

beforeEach(() => {
  sound.open = 0;
  vi.stubGlobal("navigator", {});
  vi.stubGlobal("fetch", async () => Response.json({}));
});
afterEach(() => vi.unstubAllGlobals());

/** A fake worker that starts at once, and sends the messages that a test gives it. */
class PlayedWorker extends EventTarget {
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null = null;
  onerror = null;
  isTerminated = false;

  postMessage(message: ToWorker): void {
    if (message.type === "start") queueMicrotask(() => this.say({ type: "started" }));
  }

  say(message: FromWorker): void {
    const event = new MessageEvent("message", { data: message });
    this.onmessage?.(event);
    this.dispatchEvent(event);
  }

  terminate(): void {
    this.isTerminated = true;
  }
}

const host = { role: "host", cohost: false } as You;

function setUp(you: You = host, encryption = "standard") {
  const worker = new PlayedWorker();
  const begun: object[] = [];
  const meeting = {
    recordings: {
      baseUrl: "https://meet.example.com",
      devices: async () => [],
      begin: async (recording: object) => {
        begun.push(recording);
        return { id: "r", upload_secret: "s" };
      },
      recordable: () => new Map(),
      changes: new Value(0),
      running: new Value(null),
    },
    people: new Value([]),
    room: new Value({ recordings: "workspace", type: "meeting", encryption }),
    you: new Value(you),
    phase: new Value({ kind: "joined" }),
    breakouts: { whereabouts: new Value({ breakoutId: null, movingTo: null }) },
  };
  const recorder = new Recorder({
    meeting: meeting as unknown as RecordedMeeting,
    createWorker: () => worker as unknown as Worker,
    soundWorkletUrl: "sound.js",
  });
  return { worker, recorder, begun };
}

test("in a strict room the service never gets the key of a recording, whatever it says", async () => {
  const standard = setUp();
  await standard.recorder.start();
  expect(standard.begun).toEqual([{ mime_type: "video/mp4", key: expect.any(String) }]);
  const strict = setUp(host, "strict");
  await strict.recorder.start();
  expect(strict.begun).toEqual([{ mime_type: "video/mp4" }]);
});

test("a recording that ends while it starts leaves a recorder that can begin again", async () => {
  const { worker, recorder } = setUp({ ...host, role: "participant" } as You);
  await recorder.start();
  expect([recorder.state.get().kind, recorder.ended.get()]).toEqual(["idle", "not_host"]);
  expect(recorder.sending.get()).toBe(1);
  worker.say({ type: "end", end: "done" });
  expect(recorder.sending.get()).toBe(0);
});

test.each([
  ["storage_full", "storage_full"],
  ["too_late", "too_late"],
  ["over", "stopped"],
] as const)("%s while it runs ends it, and closes the sound", async (end, ended) => {
  const { worker, recorder } = setUp();
  await recorder.start();
  expect([recorder.state.get().kind, sound.open]).toEqual(["recording", 1]);
  worker.say({ type: "end", end });
  expect([recorder.state.get().kind, recorder.ended.get()]).toEqual(["idle", ended]);
  expect([sound.open, worker.isTerminated, recorder.sending.get()]).toEqual([0, true, 0]);
});

test("an upload that ends too late is reported even after the recording was stopped", async () => {
  const { worker, recorder } = setUp();
  await recorder.start();
  recorder.stop();
  worker.say({ type: "cut", parts: 3 });
  expect([recorder.ended.get(), recorder.sending.get()]).toEqual(["stopped", 1]);
  // A page that leaves once all is sent knows by then why it could not be.
  const known: (string | null)[] = [];
  recorder.sending.subscribe(() => known.push(recorder.ended.get()));
  worker.say({ type: "end", end: "too_late" });
  expect([recorder.ended.get(), recorder.sending.get()]).toEqual(["too_late", 0]);
  expect(known).toEqual(["too_late"]);
});

test("the recorder reports a stalled upload until something is sent again", async () => {
  const { worker, recorder } = setUp();
  await recorder.start();
  worker.say({ type: "stalled", isStalled: true });
  expect(recorder.isStalled.get()).toBe(true);
  recorder.stop();
  worker.say({ type: "end", end: "over" });
  expect(recorder.isStalled.get()).toBe(false);
});

test("the recorder reports a recording without sound, until it has some or ends", async () => {
  const { worker, recorder } = setUp();
  await recorder.start();
  sound.onSilent(true);
  expect(recorder.isSilent.get()).toBe(true);
  sound.onSilent(false);
  expect(recorder.isSilent.get()).toBe(false);
  sound.onSilent(true);
  recorder.stop();
  expect(recorder.isSilent.get()).toBe(false);
  sound.onSilent(true); // the sound is open until the last part is cut
  expect(recorder.isSilent.get()).toBe(false);
  worker.say({ type: "end", end: "done" });
});
