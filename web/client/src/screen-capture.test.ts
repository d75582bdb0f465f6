import { afterEach, expect, test, vi } from "vitest";
import { ScreenBlocked, ScreenSource } from "./screen-capture.js";

afterEach(() => vi.unstubAllGlobals());

/** A browser that refuses, in these words. */
function refusingBrowser(words: string, name = "NotAllowedError") {
  const getDisplayMedia = () => Promise.reject(new DOMException(words, name));
  vi.stubGlobal("navigator", { mediaDevices: { getDisplayMedia } });
}

test.each([
  "Permission denied",
  "Permission denied by user",
  // Firefox
  "The request is not allowed by the user agent or the platform in the current context.",
])("a person who cancels is told nothing: %s", async (words) => {
  refusingBrowser(words);
  expect(await new ScreenSource().start()).toBe(false);
});

test.each([
  ["Permission denied by system", "NotAllowedError"],
  // Firefox
  ["The object can not be found here.", "NotFoundError"],
])("a system that refuses is an error: %s", async (words, name) => {
  refusingBrowser(words, name);
  await expect(new ScreenSource().start()).rejects.toThrow(ScreenBlocked);
});
