import { expect, test } from "vitest";
import { EarlyDecryptors, type StreamingReceiver } from "./early-decryptors.js";

/** A receiver that gives its streams away once, as Chromium's do. */
function chromiumReceiver() {
  const streams = { readable: new ReadableStream(), writable: new WritableStream() };
  let isGiven = false;
  const receiver: StreamingReceiver = {
    track: { id: "track" },
    createEncodedStreams: () => {
      if (isGiven) throw new Error("The streams were created already.");
      isGiven = true;
      return streams;
    },
  };
  return { receiver, streams };
}

/** A worker that remembers what it was told, and what was given to it for good. */
function deafWorker() {
  const told: { kind: string; data: Record<string, unknown> }[] = [];
  const given: unknown[] = [];
  const postMessage = (message: (typeof told)[number], transfer: unknown = []) => {
    told.push(message);
    given.push(...(transfer as unknown[]));
  };
  return { worker: { postMessage } as Pick<Worker, "postMessage">, told, given };
}

test("the worker gets a receiver's streams once, and the media library learns that it has them", () => {
  const { receiver, streams } = chromiumReceiver();
  const { worker, told, given } = deafWorker();
  const decryptors = new EarlyDecryptors(worker);
  decryptors.prepare(receiver, "me");
  decryptors.prepare(receiver, "me");
  const { readable: readableStream, writable: writableStream } = streams;
  const data = { trackId: "track", readableStream, writableStream, participantIdentity: "me" };
  expect(told).toEqual([{ kind: "decode", data }]);
  expect(given).toEqual([streams.readable, streams.writable]);
  expect(receiver).toMatchObject({ lk_e2ee: true, lk_e2ee_track_id: "track" });
});

test("the worker knows whether to decrypt before it learns whose frames come", () => {
  const { receiver } = chromiumReceiver();
  const { worker, told } = deafWorker();
  const decryptors = new EarlyDecryptors(worker);
  decryptors.prepare(receiver, "me");
  decryptors.assign(receiver, { identity: "ada", isEncrypted: true });
  decryptors.assign(receiver, { identity: "bob", isEncrypted: false });
  expect(told.slice(1)).toEqual([
    { kind: "enable", data: { enabled: true, participantIdentity: "ada" } },
    { kind: "removeTransform", data: { trackId: "track", participantIdentity: "me" } },
    { kind: "updateCodec", data: { trackId: "track", participantIdentity: "ada" } },
    { kind: "enable", data: { enabled: false, participantIdentity: "bob" } },
    { kind: "updateCodec", data: { trackId: "track", participantIdentity: "bob" } },
  ]);
});

test("with a key for each sender, frames are dropped until their sender is known", () => {
  const { receiver } = chromiumReceiver();
  const { worker, told } = deafWorker();
  const decryptors = new EarlyDecryptors(worker);
  decryptors.prepare(receiver, null);
  decryptors.assign(receiver, { identity: "ada", isEncrypted: true });
  expect(told.map(({ kind, data }) => [kind, data["participantIdentity"]])).toEqual([
    ["decode", undefined],
    ["enable", "ada"],
    ["updateCodec", "ada"],
  ]);
});

test("receivers that the media library has set up, and those of other browsers, are left alone", () => {
  const { receiver } = chromiumReceiver();
  const { worker, told } = deafWorker();
  const decryptors = new EarlyDecryptors(worker);
  receiver.lk_e2ee = true;
  decryptors.prepare(receiver, "me");
  const firefoxReceiver: StreamingReceiver = { track: { id: "track" } };
  decryptors.prepare(firefoxReceiver, "me");
  decryptors.assign(firefoxReceiver, { identity: "ada", isEncrypted: true });
  expect(told).toEqual([]);
});
