/**
 * Runs on the browser's audio thread (AudioWorklet): sends its input in blocks to a port. It counts
 * the frames, so that the receiver recognises a gap.
 */
declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare const currentFrame: number;

const blockFrames = 960;

class SoundTap extends AudioWorkletProcessor {
  #to: MessagePort | null = null;
  #left = new Float32Array(blockFrames);
  #right = new Float32Array(blockFrames);
  #filled = 0;
  #first = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<MessagePort | null>) => {
      this.#to = data;
    };
  }

  process([input]: readonly (readonly Float32Array[])[]): boolean {
    if (!this.#to) return true;
    const left = input?.[0];
    const right = input?.[1] ?? left;
    const frames = left?.length ?? 128;
    for (let i = 0; i < frames; i += 1) {
      if (this.#filled === 0) this.#first = currentFrame + i;
      this.#left[this.#filled] = left?.[i] ?? 0;
      this.#right[this.#filled] = right?.[i] ?? 0;
      this.#filled += 1;
      if (this.#filled === blockFrames) this.#pass();
    }
    return true;
  }

  #pass(): void {
    const block = { first: this.#first, left: this.#left, right: this.#right };
    this.#to?.postMessage(block, [block.left.buffer, block.right.buffer]);
    this.#left = new Float32Array(blockFrames);
    this.#right = new Float32Array(blockFrames);
    this.#filled = 0;
  }
}

registerProcessor("conclave-sound-tap", SoundTap);
