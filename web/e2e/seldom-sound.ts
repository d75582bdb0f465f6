import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const samplesPerSecond = 8000;
const seconds = 2;
const beepSeconds = 0.1;
const beepHertz = 440;

let file: Promise<string> | undefined;

/**
 * A file for the browser's fake microphone: a short beep every two seconds. Its own microphone
 * beeps all the time. While it is silent, a browser sends almost nothing, so three people cost the
 * processor a sixth less.
 */
export function seldomSound(): Promise<string> {
  file ??= write();
  return file;
}

async function write(): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "conclave-sound-")), "seldom.wav");
  await writeFile(path, wave(samples()));
  return path;
}

function samples(): Int16Array {
  const all = new Int16Array(samplesPerSecond * seconds);
  for (let i = 0; i < samplesPerSecond * beepSeconds; i++) {
    all[i] = 0.8 * 0x7fff * Math.sin((2 * Math.PI * beepHertz * i) / samplesPerSecond);
  }
  return all;
}

/** One channel of 16 bits as a RIFF file, with its header of 44 bytes. */
function wave(sound: Int16Array): Buffer {
  const bytes = Buffer.from(sound.buffer);
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + bytes.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16); // the size of what describes the samples
  header.writeUInt16LE(1, 20); // uncompressed
  header.writeUInt16LE(1, 22); // channels
  header.writeUInt32LE(samplesPerSecond, 24);
  header.writeUInt32LE(2 * samplesPerSecond, 28); // bytes a second
  header.writeUInt16LE(2, 32); // bytes a sample
  header.writeUInt16LE(16, 34); // bits a sample
  header.write("data", 36);
  header.writeUInt32LE(bytes.length, 40);
  return Buffer.concat([header, bytes]);
}
