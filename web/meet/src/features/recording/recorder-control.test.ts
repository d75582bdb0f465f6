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

test("a recording counts as unsent from its beginning until the last of it is sent", async () => {
  const state = new Value<RecorderState>({ kind: "idle" });
  const sending = new Value(0);
  const start = async () => state.set({ kind: "recording", id: "r" });
  played.recorder = { state, sending, ended: new Value(null), isStalled: new Value(false), start };
  const control = new RecorderControl({} as RecordedMeeting);
  const seen: boolean[] = [control.isUnsent.get()];
  control.isUnsent.subscribe(() => seen.push(control.isUnsent.get()));
  await control.start();
  expect(seen).toEqual([false, true]);
  sending.set(1);
  state.set({ kind: "idle" });
  expect(seen).toEqual([false, true]);
  sending.set(0);
  expect(seen).toEqual([false, true, false]);
});
