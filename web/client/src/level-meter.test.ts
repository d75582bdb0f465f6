import { expect, test, vi } from "vitest";
import { meterOf } from "./level-meter.js";

test("a meter that the browser refuses leaves no audio context open", () => {
  const closed = vi.fn(async () => {});
  class Refusing {
    readonly close = closed;
    createMediaStreamSource(): never {
      throw new DOMException("The sample rates differ.", "NotSupportedError");
    }
  }
  vi.stubGlobal("AudioContext", Refusing);
  vi.stubGlobal("MediaStream", class {});
  expect(() => meterOf({} as MediaStreamTrack)).toThrow("sample rates");
  expect(closed).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});
