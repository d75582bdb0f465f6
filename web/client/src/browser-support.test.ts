import { afterEach, expect, test, vi } from "vitest";
import { canEncryptMedia } from "./browser-support.js";

afterEach(() => vi.unstubAllGlobals());

test.each([
  ["Firefox and Safari", { RTCRtpScriptTransform: class {}, RTCRtpSender: class {} }, true],
  [
    "Chromium",
    {
      RTCRtpSender: class {
        createEncodedStreams() {}
      },
    },
    true,
  ],
  ["a browser that encrypts no media", { RTCRtpSender: class {} }, false],
  ["a browser without WebRTC", {}, false],
])("%s", (_, has, expected) => {
  for (const [name, value] of Object.entries(has)) vi.stubGlobal(name, value);
  expect(canEncryptMedia()).toBe(expected);
});
