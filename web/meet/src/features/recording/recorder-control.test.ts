import { Value } from "@conclave/client/door";
import type { RecordedMeeting, RecorderState } from "@conclave/client/recording/recorder";
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
  played.recorder = { state, sending, ended: new Value(null), isStalled: new Value(false), start };
  const recordings = { stop: async () => {} };
  const control = new RecorderControl({ recordings } as unknown as RecordedMeeting);
  const seen: boolean[] = [control.isUnsent.get()];
  control.isUnsent.subscribe(() => seen.push(control.isUnsent.get()));
  return { control, state, sending, seen };
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

test("a person who stops a recording of another device is told until they record", async () => {
  const { control, state } = setUp(async () => state.set({ kind: "recording", id: "r" }));
  await control.stop();
  expect(control.ended.get()).toBe("stopped");
  await control.start();
  expect(control.ended.get()).toBe(null);
});
