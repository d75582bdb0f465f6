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
  readonly #holders = new WeakMap<StreamingReceiver, string>();

  constructor(worker: Pick<Worker, "postMessage">) {
    this.#worker = worker;
  }

  /**
   * Until it is told whose frames come, the worker takes them for those of `holder`, which makes no
   * difference where everybody has the same key. With null it drops them.
   */
  prepare(receiver: StreamingReceiver, holder: string | null): void {
    if (!receiver.createEncodedStreams || receiver.lk_e2ee) return;
    const { readable, writable } = receiver.createEncodedStreams();
    const { id: trackId } = receiver.track;
    const data = { trackId, readableStream: readable, writableStream: writable };
    this.#tell("decode", holder, data, [readable, writable]);
    receiver.lk_e2ee = true;
    receiver.lk_e2ee_track_id = trackId;
    if (holder !== null) this.#holders.set(receiver, holder);
  }

  /** Tells the worker whose frames this receiver gets from now on. */
  assign(receiver: StreamingReceiver, { identity, isEncrypted }: Sender): void {
    if (!receiver.lk_e2ee) return;
    const { id: trackId } = receiver.track;
    const holder = this.#holders.get(receiver);
    this.#holders.delete(receiver);
    this.#tell("enable", identity, { enabled: isEncrypted });
    if (holder !== undefined) this.#tell("removeTransform", holder, { trackId });
    this.#tell("updateCodec", identity, { trackId });
  }

  #tell(kind: string, identity: string | null, data: object, transfer: Transferable[] = []): void {
    const participantIdentity = identity ?? undefined;
    this.#worker.postMessage({ kind, data: { ...data, participantIdentity } }, transfer);
  }
}
