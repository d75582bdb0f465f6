import { createElement } from "react";
import { expect, test, vi } from "vitest";
import { live } from "../../../dev/live-page";
import { LevelBars } from "./level-bars";

/** Loading React for a browser takes long on a busy machine. */
const patient = { timeout: 60_000 };

test("a browser that cannot measure the microphone shows empty bars", patient, async () => {
  const refuse = vi.fn(() => {
    throw new DOMException("The sample rates differ.", "NotSupportedError");
  });
  const close = async () => {};
  vi.stubGlobal("MediaStream", class {});
  vi.stubGlobal(
    "AudioContext",
    class {
      readonly createMediaStreamSource = refuse;
      readonly close = close;
    },
  );
  await live(createElement(LevelBars, { track: {} as MediaStreamTrack }));
  expect(refuse).toHaveBeenCalledOnce();
});
