import { type ArrivalStep, channelOf, newNote } from "./steps.js";

/**
 * Runs in the worker of the media library before its own script: notes when it has the key, and when
 * key frames come to be decrypted and encrypted.
 */

type Operation = "encode" | "decode";
type Frame = RTCEncodedVideoFrame | RTCEncodedAudioFrame;

const channel = new BroadcastChannel(channelOf(self.name));
const note = (step: ArrivalStep, about?: string) => channel.postMessage(newNote(step, about));
/** The worker makes its streams in the order in which it hears of the tracks. */
const announced: Operation[] = [];

function isOperation(kind: unknown): kind is Operation {
  return kind === "encode" || kind === "decode";
}

addEventListener("message", ({ data }: MessageEvent<{ kind?: unknown }>) => {
  if (data.kind === "setKey") note("key given");
  if (data.kind === "updateCodec") note("decryptor assigned");
  if (isOperation(data.kind)) announced.push(data.kind);
});
addEventListener("rtctransform", (event) => {
  const { transformer } = event as Event & { transformer: { options: { kind?: unknown } } };
  const { kind } = transformer.options;
  if (isOperation(kind)) announced.push(kind);
});

const derive = SubtleCrypto.prototype.deriveKey;
SubtleCrypto.prototype.deriveKey = async function (...given: Parameters<typeof derive>) {
  const key = await derive.apply(this, given);
  note("key set");
  return key;
};

/** How many first frames of a track are reported even if they are not key frames. */
const told = 5;

function isKeyFrame(frame: Frame): frame is RTCEncodedVideoFrame {
  return "type" in frame && frame.type === "key";
}

/** The size of the picture and the stream that it belongs to. */
function describe(frame: RTCEncodedVideoFrame): string {
  const { width, height, synchronizationSource } = frame.getMetadata();
  return `${width ?? 0}x${height ?? 0}, stream ${synchronizationSource ?? 0}`;
}

/** Passes frames on as the media library does, and notes what becomes of key frames. */
function watched(operation: Operation, transformer: Transformer<Frame, Frame>) {
  let count = 0;
  const came = (frame: Frame) => {
    if (operation === "encode" || !("type" in frame)) return;
    count += 1;
    if (isKeyFrame(frame)) note("key frame there", describe(frame));
    else if (count <= told) note("other frame there", `${count}`);
  };
  const transform = async (frame: Frame, to: TransformStreamDefaultController<Frame>) => {
    came(frame);
    const about = isKeyFrame(frame) ? describe(frame) : null;
    let hasLeft = false;
    await transformer.transform?.(frame, {
      desiredSize: to.desiredSize,
      enqueue: (made?: Frame) => {
        hasLeft = true;
        to.enqueue(made);
      },
      error: (reason: unknown) => to.error(reason),
      terminate: () => to.terminate(),
    });
    if (about === null) return;
    if (!hasLeft) note("key frame dropped", about);
    else note(operation === "encode" ? "key frame encoded" : "key frame opened", about);
  };
  return { ...transformer, transform };
}

globalThis.TransformStream = class extends TransformStream<Frame, Frame> {
  constructor(transformer: Transformer<Frame, Frame> = {}) {
    const operation = announced.shift();
    super(operation ? watched(operation, transformer) : transformer);
    if (operation === "decode") note("decryptor ready");
  }
} as typeof TransformStream;
