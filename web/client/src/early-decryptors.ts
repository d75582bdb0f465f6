/** A receiver as Chromium has them, which gives its encoded frames away once. */
export interface StreamingReceiver {
  readonly track: Pick<MediaStreamTrack, "id">;
  readonly createEncodedStreams?: () => {
    readonly readable: ReadableStream;
    readonly writable: WritableStream;
  };
  /** Where the media library notes that the worker has the streams, and as which track's. */
  lk_e2ee?: boolean;
  lk_e2ee_track_id?: string;
}

/** Whose frames a receiver gets. */
export interface Sender {
  readonly identity: string;
  readonly isEncrypted: boolean;
}

/**
 * Gives the worker of the media library the streams of a connection's receivers before anything can
 * arrive. The library does so when it calls itself connected, and first key frames often arrive at
 * this moment. Chromium drops frames while it transfers the streams, which takes as long as the page
 * is busy, and nothing can be decoded until another key frame is asked for and sent.
 */
export class EarlyDecryptors {
  readonly #worker: Pick<Worker, "postMessage">;

  constructor(worker: Pick<Worker, "postMessage">) {
    this.#worker = worker;
  }

  /** Whose frames it will get, is told later: by `assign`, or by the library. */
  prepare(receiver: StreamingReceiver): void {
    if (!receiver.createEncodedStreams || receiver.lk_e2ee) return;
    const { readable, writable } = receiver.createEncodedStreams();
    const { id: trackId } = receiver.track;
    const data = { trackId, readableStream: readable, writableStream: writable };
    this.#worker.postMessage({ kind: "decode", data }, [readable, writable]);
    receiver.lk_e2ee = true;
    receiver.lk_e2ee_track_id = trackId;
  }

  /** From now on the worker decrypts what this receiver gets. */
  assign({ track }: StreamingReceiver, { identity, isEncrypted }: Sender): void {
    const tell = (kind: string, data: object) =>
      this.#worker.postMessage({ kind, data: { ...data, participantIdentity: identity } });
    tell("enable", { enabled: isEncrypted });
    tell("updateCodec", { trackId: track.id });
  }
}
