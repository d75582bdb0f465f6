import { browserClock, type Clock } from "../clock.js";
import { sampleRate } from "./support.js";

/** How long a browser may take to begin with the sound, in milliseconds. */
const beginsWithin = 5000;

export interface SoundMixerOptions {
  readonly workletUrl: string | URL;
  /** The browser has not run the sound for a few seconds, or runs it. */
  readonly onSilent: (isSilent: boolean) => void;
  readonly clock?: Clock;
}

/** Mixes everybody's sound into one track, and passes it on in blocks (see sound-worklet.ts). */
export class SoundMixer {
  readonly #context: AudioContext;
  readonly #tap: AudioWorkletNode;
  readonly #inputs = new Map<MediaStreamTrack, MediaStreamAudioSourceNode>();
  readonly #limiter: DynamicsCompressorNode;
  readonly #unwatch: () => void;

  private constructor(context: AudioContext, options: SoundMixerOptions) {
    this.#context = context;
    // Many voices at once would be too loud for the file.
    this.#limiter = new DynamicsCompressorNode(context, {
      threshold: -3,
      knee: 0,
      ratio: 20,
      attack: 0.001,
      release: 0.1,
    });
    this.#tap = new AudioWorkletNode(context, "conclave-sound-tap", {
      channelCount: 2,
      channelCountMode: "explicit",
    });
    // The worklet outputs silence, but some browsers do not run a node without an output.
    this.#limiter.connect(this.#tap).connect(context.destination);
    this.#unwatch = watch(context, options);
  }

  /** Call it from a click, or browsers do not start the sound. */
  static async open(options: SoundMixerOptions): Promise<SoundMixer> {
    const context = new AudioContext({ sampleRate, latencyHint: "interactive" });
    try {
      await context.audioWorklet.addModule(options.workletUrl);
      const mixer = new SoundMixer(context, options);
      void context.resume().catch(() => {});
      return mixer;
    } catch (error) {
      void context.close().catch(() => {});
      throw error;
    }
  }

  /** Passes on the sound from now on. Blocks that wait in the port would be too late. */
  begin(to: MessagePort): void {
    this.#tap.port.postMessage(to, [to]);
  }

  /** Mixes these tracks and no others. */
  set(tracks: ReadonlySet<MediaStreamTrack>): void {
    for (const [track, node] of this.#inputs) {
      if (tracks.has(track)) continue;
      node.disconnect();
      this.#inputs.delete(track);
    }
    for (const track of tracks) {
      if (this.#inputs.has(track)) continue;
      const node = this.#context.createMediaStreamSource(new MediaStream([track]));
      node.connect(this.#limiter);
      this.#inputs.set(track, node);
    }
  }

  close(): void {
    this.#unwatch();
    this.set(new Set());
    this.#tap.port.postMessage(null);
    void this.#context.close().catch(() => {});
  }
}

/**
 * Watches whether the sound runs. Firefox does not begin with it where it finds no device to play
 * it on. Returns a function that stops watching.
 */
function watch(context: AudioContext, { onSilent, clock = browserClock }: SoundMixerOptions) {
  let cancel = () => {};
  const look = () => {
    cancel();
    if (context.state === "running") onSilent(false);
    else cancel = clock.after(beginsWithin, () => onSilent(true));
  };
  context.addEventListener("statechange", look);
  look();
  return () => {
    context.removeEventListener("statechange", look);
    cancel();
  };
}
