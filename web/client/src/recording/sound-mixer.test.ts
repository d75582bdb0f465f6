import { afterEach, expect, test, vi } from "vitest";
import { HandClock } from "../testing/hand-clock.js";
import { SoundMixer } from "./sound-mixer.js";

/** A part of a browser's sound that does nothing. */
class Part {
  readonly port = { postMessage: () => {} };
  connect(to: Part): Part {
    return to;
  }
}

/** A browser's sound, which runs when the test says so. */
class PlayedContext extends EventTarget {
  static last: PlayedContext;
  state = "suspended";
  readonly destination = new Part();
  readonly audioWorklet = { addModule: async () => {} };

  constructor() {
    super();
    PlayedContext.last = this;
  }

  async resume(): Promise<void> {}

  async close(): Promise<void> {
    this.becomes("closed");
  }

  becomes(state: string): void {
    this.state = state;
    this.dispatchEvent(new Event("statechange"));
  }
}

afterEach(() => vi.unstubAllGlobals());

/** An open mixer, and what it said of its sound. */
async function open() {
  vi.stubGlobal("AudioContext", PlayedContext);
  vi.stubGlobal("AudioWorkletNode", Part);
  vi.stubGlobal("DynamicsCompressorNode", Part);
  const clock = new HandClock();
  const said: boolean[] = [];
  const onSilent = (isSilent: boolean) => void said.push(isSilent);
  const mixer = await SoundMixer.open({ workletUrl: "sound.js", onSilent, clock });
  return { mixer, context: PlayedContext.last, clock, said };
}

test("sound that does not begin within seconds is reported, and so is its beginning", async () => {
  const { context, clock, said } = await open();
  clock.pass(4999);
  expect(said).toEqual([]);
  clock.pass(1);
  expect(said).toEqual([true]);
  context.becomes("running");
  expect(said).toEqual([true, false]);
});

test("sound that begins in time, or is closed, is not reported as missing", async () => {
  const { mixer, context, clock, said } = await open();
  context.becomes("running");
  clock.pass(10_000);
  expect(said).not.toContain(true);
  mixer.close();
  clock.pass(10_000);
  expect(said).not.toContain(true);
});

test("sound that stops later is reported too", async () => {
  const { context, clock, said } = await open();
  context.becomes("running");
  context.becomes("suspended");
  clock.pass(5000);
  expect(said.at(-1)).toBe(true);
});
