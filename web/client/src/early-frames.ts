/** Where the media library looks for the streams of a receiver's encoded frames. */
interface Streams {
  readonly readable: ReadableStream;
  readonly writable: WritableStream;
}

/** A receiver as Chromium has them, which gives its encoded frames away once. */
export interface StreamingReceiver {
  readonly createEncodedStreams?: () => Streams;
  readableStream?: ReadableStream;
  writableStream?: WritableStream;
}

/**
 * Keeps the frames that a receiver gets before the media library decrypts them. The library begins
 * when it calls itself connected. Chromium drops what comes before that, often the first key frame,
 * and the media server asks for another one only after a while.
 */
export function keepEarlyFrames(receiver: StreamingReceiver): void {
  if (!receiver.createEncodedStreams || receiver.readableStream) return;
  const { readable, writable } = receiver.createEncodedStreams();
  receiver.readableStream = readable;
  receiver.writableStream = writable;
}
