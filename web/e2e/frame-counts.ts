/** What went through one track's encryption or decryption in a page. */
export interface FrameCount {
  /** Names the track within the page. */
  readonly id: string;
  readonly operation: "encode" | "decode";
  /** The person whose frames they are. */
  readonly identity: string;
  readonly came: number;
  /** How many were encrypted or decrypted. The rest were dropped because the right key was missing. */
  readonly went: number;
  /** When the first frame with another key than the one before was encrypted. */
  readonly switches: readonly { readonly index: number; readonly at: number }[];
}

/**
 * Runs in LiveKit's worker before its own script: counts the frames that come to be encrypted or
 * decrypted, and those that go on, and notes which key they were encrypted with.
 */
export function countFrames(reports: string): void {
  interface Count {
    id: string;
    trackId: unknown;
    operation: unknown;
    identity: unknown;
    came: number;
    went: number;
    index: number;
    switches: { index: number; at: number }[];
  }
  interface Options {
    kind?: unknown;
    trackId?: unknown;
    participantIdentity?: unknown;
  }
  type Frame = RTCEncodedVideoFrame | RTCEncodedAudioFrame;
  const counts: Count[] = [];
  // The worker makes its streams in the order in which it hears of the tracks.
  const announced: Options[] = [];
  const isAnnounced = (options: Options) => options.kind === "encode" || options.kind === "decode";
  addEventListener("rtctransform", (event) => {
    const { transformer } = event as Event & { transformer: { options: Options } };
    announced.push(transformer.options);
  });
  addEventListener("message", ({ data }: MessageEvent<{ kind?: unknown; data?: Options }>) => {
    if (isAnnounced(data)) announced.push({ ...data.data, kind: data.kind });
    if (data.kind !== "updateCodec") return;
    // Whose frames a track has may be told only later.
    const { trackId, participantIdentity } = data.data ?? {};
    for (const count of counts) {
      if (count.trackId === trackId) count.identity = participantIdentity;
    }
  });
  const Original = TransformStream<Frame, Frame>;
  class Counting extends Original {
    constructor(transformer?: Transformer<Frame, Frame>) {
      const { kind, trackId, participantIdentity } = announced.shift() ?? {};
      const count: Count = {
        id: crypto.randomUUID(),
        trackId,
        operation: kind,
        identity: participantIdentity,
        came: 0,
        went: 0,
        index: -1,
        switches: [],
      };
      counts.push(count);
      const took = ({ data }: Frame) => {
        count.went += 1;
        const index = new Uint8Array(data).at(-1) ?? -1;
        if (kind !== "encode" || index === count.index) return;
        if (count.index >= 0) count.switches.push({ index, at: Date.now() });
        count.index = index;
      };
      super({
        transform: async (frame, controller) => {
          if (frame.data.byteLength > 0) count.came += 1;
          await transformer?.transform?.(frame, {
            desiredSize: controller.desiredSize,
            enqueue: (made?: Frame) => {
              if (made && made.data.byteLength > 0) took(made);
              controller.enqueue(made);
            },
            error: (reason: unknown) => controller.error(reason),
            terminate: () => controller.terminate(),
          });
        },
      });
    }
  }
  Object.assign(globalThis, { TransformStream: Counting });
  setInterval(() => {
    if (counts.length === 0) return;
    fetch(reports, { method: "POST", body: JSON.stringify({ counts }) }).catch(() => {});
  }, 100);
}
