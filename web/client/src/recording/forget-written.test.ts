import {
  EncodedAudioPacketSource,
  EncodedPacket,
  Mp4OutputFormat,
  NullTarget,
  Output,
} from "mediabunny";
import { expect, test } from "vitest";
import { forgetWritten } from "./forget-written.js";

/** The long arrays inside an object, by their paths. */
function longArrays(root: object, longest: number): readonly string[] {
  const found: string[] = [];
  const seen = new Set<unknown>();
  const look = (value: unknown, path: string) => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    if (Array.isArray(value) && value.length > longest) found.push(path);
    for (const [key, inner] of Object.entries(value)) look(inner, `${path}.${key}`);
  };
  look(root, "");
  return found;
}

/** Writes a minute of sound; calls back after each fragment. */
async function write(onFragment: (output: Output) => void): Promise<Output> {
  let fragments = 0;
  const format = new Mp4OutputFormat({
    fastStart: "fragmented",
    onMoof: () => {
      fragments += 1;
      onFragment(output);
    },
  });
  const output = new Output({ format, target: new NullTarget() });
  const source = new EncodedAudioPacketSource("opus");
  output.addAudioTrack(source);
  await output.start();
  const decoderConfig = { codec: "opus", sampleRate: 48_000, numberOfChannels: 2 };
  for (let i = 0; i < 3000; i += 1) {
    const packet = new EncodedPacket(new Uint8Array(10), "key", i * 0.02, 0.02);
    await source.add(packet, i === 0 ? { decoderConfig } : undefined);
  }
  expect(fragments).toBeGreaterThan(50);
  return output;
}

test("written fragments take no memory", async () => {
  const output = await write(forgetWritten);
  expect(longArrays(output, 60)).toEqual([]);
  await output.finalize();
});

test("without forgetWritten, written fragments would take memory", async () => {
  const output = await write(() => {});
  expect(longArrays(output, 50)).not.toEqual([]);
  await output.cancel();
});
