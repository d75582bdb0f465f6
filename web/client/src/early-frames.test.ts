import { expect, test } from "vitest";
import { keepEarlyFrames, type StreamingReceiver } from "./early-frames";

/** A receiver that gives its streams away once, as Chromium's do. */
function chromiumReceiver() {
  const streams = { readable: new ReadableStream(), writable: new WritableStream() };
  let isGiven = false;
  const receiver: StreamingReceiver = {
    createEncodedStreams: () => {
      if (isGiven) throw new Error("The streams were created already.");
      isGiven = true;
      return streams;
    },
  };
  return { receiver, streams };
}

test("the streams of a receiver are where the media library looks for them", () => {
  const { receiver, streams } = chromiumReceiver();
  keepEarlyFrames(receiver);
  expect(receiver.readableStream).toBe(streams.readable);
  expect(receiver.writableStream).toBe(streams.writable);
});

test("a receiver that is used for another track keeps its streams", () => {
  const { receiver, streams } = chromiumReceiver();
  keepEarlyFrames(receiver);
  keepEarlyFrames(receiver);
  expect(receiver.readableStream).toBe(streams.readable);
});

test("other browsers' receivers have no such streams", () => {
  const receiver: StreamingReceiver = {};
  keepEarlyFrames(receiver);
  expect(receiver.readableStream).toBeUndefined();
});
