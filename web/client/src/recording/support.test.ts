import { expect, test } from "vitest";
import { chooseFormat, mimeTypeOf } from "./support.js";

test.each([
  { video: ["avc", "vp9", "vp8"], audio: ["aac", "opus"], chosen: "mp4 avc aac" },
  // Chromium without licensed codecs encodes H.264, but no AAC.
  { video: ["avc", "vp9", "vp8"], audio: ["opus"], chosen: "mp4 avc opus" },
  { video: ["vp9", "vp8"], audio: ["aac", "opus"], chosen: "webm vp9 opus" },
  { video: ["vp8"], audio: ["opus"], chosen: "webm vp8 opus" },
  { video: ["avc"], audio: ["aac"], chosen: "mp4 avc aac" },
  { video: ["vp8"], audio: ["aac"], chosen: null },
  { video: [], audio: ["opus"], chosen: null },
  { video: ["avc"], audio: [], chosen: null },
] as const)("$video with $audio makes $chosen", ({ video, audio, chosen }) => {
  const format = chooseFormat({ video, audio });
  expect(format && `${format.container} ${format.video} ${format.audio}`).toBe(chosen);
});

test("the media types are as in the protocol", () => {
  expect(mimeTypeOf({ container: "mp4", video: "avc", audio: "aac" })).toBe("video/mp4");
  expect(mimeTypeOf({ container: "webm", video: "vp8", audio: "opus" })).toBe("video/webm");
});
