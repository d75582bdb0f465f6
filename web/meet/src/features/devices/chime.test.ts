import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { playChime } from "./chime";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A browser in which an audio context begins to play when the given promise resolves. */
function browserWith(resume: () => Promise<void>) {
  const close = vi.fn(async () => {});
  const notes: { end: () => void }[] = [];
  const param = {
    setValueAtTime: () => {},
    linearRampToValueAtTime: () => {},
    exponentialRampToValueAtTime: () => {},
  };
  const gain = { gain: param, connect: () => {} };
  class Context {
    readonly currentTime = 0;
    readonly destination = {};
    readonly resume = resume;
    readonly close = close;
    readonly createGain = () => gain;
    readonly createOscillator = () => {
      const note = { end: () => {} };
      notes.push(note);
      const addEventListener = (_: string, listener: () => void) => {
        note.end = listener;
      };
      const connect = () => gain;
      return { frequency: {}, connect, start: () => {}, stop: () => {}, addEventListener };
    };
  }
  vi.stubGlobal("AudioContext", Context);
  return { close, notes };
}

test("a chime is over with its last note", async () => {
  const { close, notes } = browserWith(async () => {});
  const chime = playChime("");
  await vi.advanceTimersByTimeAsync(0);
  expect([notes.length, close.mock.calls.length]).toEqual([2, 0]);
  notes[1]?.end();
  await chime;
  expect(close).toHaveBeenCalledOnce();
});

test("a browser without a sound device leaves no audio context open", async () => {
  const { close } = browserWith(() => new Promise(() => {}));
  let isOver = false;
  void playChime("").then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect([isOver, close.mock.calls.length]).toEqual([true, 1]);
});

test("a browser that refuses to play leaves no audio context open, and nothing fails", async () => {
  const { close } = browserWith(() => Promise.reject(new Error("The device is gone.")));
  await expect(playChime("")).resolves.toBeUndefined();
  expect(close).toHaveBeenCalledOnce();
});

test("nothing fails in a browser that makes no audio context", async () => {
  const refuse = () => {
    throw new DOMException("There are too many.", "NotSupportedError");
  };
  vi.stubGlobal("AudioContext", refuse);
  await expect(playChime("")).resolves.toBeUndefined();
});
