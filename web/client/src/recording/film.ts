/** The file of a recording: encodes pictures and sound, and hands over finished fragments. */
import {
  AudioSample,
  AudioSampleSource,
  CanvasSource,
  Mp4OutputFormat,
  NullTarget,
  Output,
  type OutputFormat,
  WebMOutputFormat,
} from "mediabunny";
import { repairedDescription } from "./avc-description.js";
import { forgetWritten } from "./forget-written.js";
import { SoundLine, stretch } from "./sound-line.js";
import { audioBitrate, type RecordingFormat, sampleRate, videoBitrate } from "./support.js";

/** Takes the growing file. Each fragment is announced before its bytes arrive. */
export interface FragmentSink {
  readonly fragment: (milliseconds: number) => void;
  readonly write: (bytes: Uint8Array) => void;
}

/** Two channels of sound, with the number of their first frame at the source. */
export interface SoundBlock {
  readonly first: number;
  readonly left: Float32Array;
  readonly right: Float32Array;
}

/** The seconds between key frames. A fragment begins with one. */
const keyFrameSeconds = 2;
/** The picture that is repeated at the end is at a multiple of this part of a second. */
const lastGrid = 24;
const longestSilence = sampleRate;

/**
 * Encodes pictures and sound, each with the time at which it arrives, in seconds since the start.
 */
export class Film {
  readonly #output: Output;
  readonly #video: CanvasSource;
  readonly #audio: AudioSampleSource;
  readonly #line = new SoundLine(sampleRate);
  readonly #onFailure: (error: unknown) => void;
  #soundWritten = 0;
  /** How many frames of sound belong to the film; known once its end is known. */
  #soundTotal = Number.POSITIVE_INFINITY;
  #sound: Promise<void> = Promise.resolve();
  #picture: Promise<void> | null = null;
  #lastPicture = -1;

  constructor(
    canvas: OffscreenCanvas,
    format: RecordingFormat,
    sink: FragmentSink,
    onFailure: (error: unknown) => void,
  ) {
    this.#onFailure = onFailure;
    const whole: FragmentSink = {
      write: (bytes) => sink.write(bytes),
      fragment: (milliseconds) => {
        forgetWritten(this.#output);
        sink.fragment(milliseconds);
      },
    };
    this.#output = new Output({ format: outputFormat(format, whole), target: new NullTarget() });
    this.#video = new CanvasSource(canvas, {
      codec: format.video,
      bitrate: videoBitrate,
      keyFrameInterval: keyFrameSeconds,
      latencyMode: "realtime",
      onEncodedPacket: (_packet, meta) => repairDescription(meta),
    });
    this.#audio = new AudioSampleSource({ codec: format.audio, bitrate: audioBitrate });
    this.#output.addVideoTrack(this.#video);
    this.#output.addAudioTrack(this.#audio);
  }

  start(): Promise<void> {
    return this.#output.start();
  }

  /** Whether the encoder is still busy with the last picture, so that another one would wait. */
  get isBusy(): boolean {
    return this.#picture !== null;
  }

  /** Encodes the canvas as it is now. */
  addPicture(now: number, seconds: number): void {
    if (now <= this.#lastPicture) return;
    this.#lastPicture = now;
    const adding = this.#video.add(now, seconds).finally(() => {
      if (this.#picture === adding) this.#picture = null;
    });
    this.#picture = adding;
    adding.catch(this.#onFailure);
  }

  addSound(block: SoundBlock, now: number): void {
    const placement = this.#line.take(block.first, block.left.length, now);
    this.#silence(placement.silence);
    const left = stretch(block.left, placement.frames);
    const right = stretch(block.right, placement.frames);
    this.#put(placement.frames, (frames) => planar(left, right, frames));
  }

  /** Call it regularly: it adds silence when no sound arrives. */
  keepSound(now: number): void {
    this.#silence(this.#line.stall(now));
  }

  /** Sets the end of the film. Sound that still arrives is taken up to there. */
  endAt(now: number): void {
    this.#soundTotal = Math.round(now * sampleRate);
  }

  /** Ends the film at that time, and writes the rest. Nothing may be added afterwards. */
  async end(now: number): Promise<void> {
    this.endAt(now);
    this.#silence(this.#line.finish(now));
    await this.#picture;
    // Skipped pictures must not make the film shorter than its sound.
    this.addPicture(Math.floor(now * lastGrid) / lastGrid, 1 / lastGrid);
    await this.#sound;
    await this.#picture;
    await this.#output.finalize();
  }

  /** Made only when the encoder takes it: it may be hours, when the computer slept. */
  #silence(frames: number): void {
    for (let left = frames; left > 0; left -= longestSilence) {
      this.#put(Math.min(left, longestSilence), (some) => new Float32Array(some * 2));
    }
  }

  /** `make` gives that many frames of the sound, one channel after the other. */
  #put(whole: number, make: (frames: number) => Float32Array): void {
    const frames = Math.min(whole, this.#soundTotal - this.#soundWritten);
    if (frames <= 0) return;
    const timestamp = this.#soundWritten / sampleRate;
    this.#soundWritten += frames;
    this.#sound = this.#sound.then(async () => {
      const shape = { format: "f32-planar", numberOfChannels: 2, sampleRate, timestamp } as const;
      const sample = new AudioSample({ ...shape, data: make(frames) });
      try {
        await this.#audio.add(sample);
      } finally {
        sample.close();
      }
    });
    this.#sound.catch(this.#onFailure);
  }
}

/** The description that the file gets, where the encoder gave one, as it has to be. */
function repairDescription(meta: EncodedVideoChunkMetadata | undefined): void {
  const config = meta?.decoderConfig;
  if (!config?.description || !config.codec.startsWith("avc1.")) return;
  const { description } = config;
  const given = ArrayBuffer.isView(description)
    ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
    : new Uint8Array(description);
  config.description = repairedDescription(given);
}

/** The first frames of two channels, one channel after the other. */
function planar(left: Float32Array, right: Float32Array, frames: number): Float32Array {
  const data = new Float32Array(frames * 2);
  data.set(left.subarray(0, frames));
  data.set(right.subarray(0, frames), frames);
  return data;
}

function outputFormat({ container }: RecordingFormat, sink: FragmentSink): OutputFormat {
  const write = (bytes: Uint8Array) => sink.write(bytes);
  const begin = (bytes: Uint8Array, _position: number, seconds: number) => {
    sink.fragment(Math.round(seconds * 1000));
    sink.write(bytes);
  };
  if (container === "mp4") {
    return new Mp4OutputFormat({
      fastStart: "fragmented",
      minimumFragmentDuration: 1,
      onFtyp: write,
      onMoov: write,
      onMoof: begin,
      onMdat: write,
    });
  }
  return new WebMOutputFormat({
    appendOnly: true,
    minimumClusterDuration: 1,
    onEbmlHeader: write,
    onSegmentHeader: write,
    onCluster: begin,
  });
}
