import type { Meeting } from "@conclave/client";
import { type RunningRecording, Value } from "@conclave/client/pre-join";
import type { RecorderState, RecordingEnd } from "@conclave/client/recording/recorder";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RecorderControl } from "./recorder-control";

const played = vi.hoisted(() => ({ recorder: {} as Record<string, unknown> }));

// Node has no workers of the browser's kind.
vi.mock("./load-recorder", () => ({ newRecorder: () => played.recorder }));

beforeEach(() => {
  const parts = ["VideoEncoder", "AudioEncoder", "OffscreenCanvas", "AudioWorkletNode", "Worker"];
  for (const part of parts) vi.stubGlobal(part, class {});
  vi.stubGlobal("navigator", { userAgent: "", maxTouchPoints: 0 });
});
afterEach(() => vi.unstubAllGlobals());

/**
 * A control whose recorder starts as the test says, and what its isUnsent was in turn. The service
 * stops what other devices record.
 */
function setUp(start: () => Promise<void>) {
  const state = new Value<RecorderState>({ kind: "idle" });
  const sending = new Value(0);
  const ended = new Value<RecordingEnd | null>(null);
  const isSilent = new Value(false);
  played.recorder = { state, sending, ended, isStalled: new Value(false), isSilent, start };
  const running = new Value<RunningRecording | null>(null);
  const service = { running, stop: async () => {} };
  const meeting = { identity: "user_ada.1", recordings: service } as unknown as Meeting;
  const control = new RecorderControl(meeting);
  const seen: boolean[] = [control.isUnsent.get()];
  control.isUnsent.subscribe(() => seen.push(control.isUnsent.get()));
  return { control, state, sending, ended, isSilent, running, service, seen };
}

test("a recording counts as unsent from its beginning until the last of it is sent", async () => {
  const { control, state, sending, seen } = setUp(async () => {
    state.set({ kind: "starting" });
    // The service may have a recording by now, which an early end of the page would leave empty.
    expect(seen).toEqual([false, true]);
    state.set({ kind: "recording", id: "r" });
  });
  await control.start();
  expect(seen).toEqual([false, true]);
  sending.set(1);
  state.set({ kind: "idle" });
  expect(seen).toEqual([false, true]);
  sending.set(0);
  expect(seen).toEqual([false, true, false]);
});

test("a recording that could not begin leaves nothing to send", async () => {
  const { control, state, seen } = setUp(async () => {
    state.set({ kind: "starting" });
    state.set({ kind: "idle" });
    throw new Error("The recording's worker did not start.");
  });
  await expect(control.start()).rejects.toThrow("did not start");
  expect(seen).toEqual([false, true, false]);
});

/** What the service says of a recording that runs. */
const recordingOf = (id: string) => ({ id, away: false }) as RunningRecording;

test("a person who stops a recording of another device is told until they record", async () => {
  const { control, state } = setUp(async () => state.set({ kind: "recording", id: "r" }));
  await control.stop();
  expect(control.isKept.get()).toBe(true);
  await control.start();
  expect(control.isKept.get()).toBe(false);
});

test("a person is told that a recording was stopped until another one runs", async () => {
  const start = async () => state.set({ kind: "recording", id: "r" });
  const { control, state, ended, running } = setUp(start);
  await control.start();
  running.set(recordingOf("r"));
  ended.set("stopped");
  running.set({ ...recordingOf("r"), away: true });
  running.set(null);
  expect(control.isKept.get()).toBe(true);
  running.set(recordingOf("of somebody else"));
  running.set(null);
  expect(control.isKept.get()).toBe(false);
});

test("a person who stops a recording is told nothing once another one runs", async () => {
  const { control, running, service } = setUp(async () => {});
  running.set(recordingOf("r"));
  service.stop = async () => running.set(recordingOf("of somebody else"));
  await control.stop();
  running.set(null);
  expect(control.isKept.get()).toBe(false);
});

test("a recording that begins knows the one in whose place it does", async () => {
  const { control, running } = setUp(async () => running.set(recordingOf("next")));
  running.set(recordingOf("of an earlier page"));
  await control.start();
  expect(control.replaced.get()).toBe("of an earlier page");
  running.set(null);
  await control.start();
  expect(control.replaced.get()).toBeNull();
});

test("stopping another device's recording hides no loss of an own one", async () => {
  const { control, state, ended } = setUp(async () => state.set({ kind: "recording", id: "r" }));
  await control.start();
  state.set({ kind: "idle" });
  ended.set("too_late");
  await control.stop();
  expect(control.ended.get()).toBe("too_late");
});

test("the page learns that a recording has no sound, and that it has some again", async () => {
  const { control, isSilent } = setUp(async () => {});
  await control.start();
  isSilent.set(true);
  expect(control.isSilent.get()).toBe(true);
  isSilent.set(false);
  expect(control.isSilent.get()).toBe(false);
});
