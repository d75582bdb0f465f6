import { execFile } from "node:child_process";
import { createDecipheriv } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { soon } from "./people";
import type { Room, ServiceUnderTest } from "./service";

/**
 * Fetches and examines a recording with docs/reference/recordings.md, Node's crypto and ffmpeg, and
 * none of our own code.
 */

export interface Recording {
  readonly id: string;
  readonly status: "recording" | "processing" | "ready" | "failed";
  readonly parts: number;
  readonly bytes: number;
  readonly duration_ms: number;
  readonly mime_type: string;
}

interface Download {
  readonly encryption: {
    readonly algorithm: string;
    readonly key: string;
    readonly iv_bytes: number;
  };
  readonly parts: readonly { readonly index: number; readonly url: string }[];
}

export async function recordingsOf(
  service: ServiceUnderTest,
  room: Room,
): Promise<readonly Recording[]> {
  return (await service.call<{ data: Recording[] }>("GET", `/recordings?room_id=${room.id}`)).data;
}

/** Waits until the only recording of the room is complete. */
export async function readyRecording(service: ServiceUnderTest, room: Room): Promise<Recording> {
  const status = async () => (await recordingsOf(service, room)).map((one) => one.status);
  await expect.poll(status, soon).toEqual(["ready"]);
  const [recording] = await recordingsOf(service, room);
  if (!recording) throw new Error("there was a recording a moment ago");
  return recording;
}

const run = promisify(execFile);

/** A recording's file, fetched, decrypted and put together. */
export class RecordedFile {
  readonly path: string;
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
    this.path = join(directory, "recording");
  }

  /** A file that a member downloaded. */
  static async of(bytes: Buffer): Promise<RecordedFile> {
    const file = new RecordedFile(await mkdtemp(join(tmpdir(), "conclave-recording-")));
    await writeFile(file.path, bytes);
    return file;
  }

  static async fetch(service: ServiceUnderTest, { id }: Recording): Promise<RecordedFile> {
    const { encryption, parts } = await service.call<Download>(
      "POST",
      `/recordings/${id}/download`,
    );
    expect([encryption.algorithm, encryption.iv_bytes]).toEqual(["AES-256-GCM", 12]);
    const key = Buffer.from(encryption.key, "base64url");
    const plain: Buffer[] = [];
    for (const { index, url } of parts) {
      const part = await service.bytes(url);
      const decipher = createDecipheriv("aes-256-gcm", key, part.subarray(0, 12));
      decipher.setAAD(Buffer.from(`service-recording:${id}:${index}`));
      decipher.setAuthTag(part.subarray(-16));
      plain.push(decipher.update(part.subarray(12, -16)), decipher.final());
    }
    return RecordedFile.of(Buffer.concat(plain));
  }

  /** Decodes all of it; returns ffmpeg's errors, one a line. */
  async faults(): Promise<string> {
    const { stderr } = await run("ffmpeg", ["-v", "error", "-i", this.path, "-f", "null", "-"]);
    return stderr;
  }

  /** Its streams as ffprobe names them: "video h264", "audio opus". */
  async streams(): Promise<readonly string[]> {
    const out = await this.#probe("stream=codec_type,codec_name,width,height");
    const { streams } = JSON.parse(out) as { streams: Record<string, string | number>[] };
    return streams.map((stream) => {
      const size = stream["width"] ? ` ${stream["width"]}x${stream["height"]}` : "";
      return `${stream["codec_type"]} ${stream["codec_name"]}${size}`;
    });
  }

  /** The times of the pictures, in seconds. */
  async pictureTimes(): Promise<readonly number[]> {
    const out = await this.#probe("packet=pts_time", "-select_streams", "v");
    const { packets } = JSON.parse(out) as { packets: { pts_time: string }[] };
    return packets.map(({ pts_time }) => Number(pts_time)).sort((a, b) => a - b);
  }

  /** The length of the sound, in seconds. */
  async soundSeconds(): Promise<number> {
    return (await this.sound()).length / soundRate;
  }

  /**
   * The brightness of an area of each picture, from 0 to 255. The area is given in fractions of the
   * picture: left, top, width, height.
   */
  async brightness(left: number, top: number, width: number, height: number): Promise<Buffer> {
    const crop = `crop=iw*${width}:ih*${height}:iw*${left}:ih*${top}`;
    const filter = `${crop},scale=1:1:flags=area,format=gray`;
    return this.#read("-an", "-vf", filter, "-vsync", "passthrough", "-f", "rawvideo", "-");
  }

  /** The samples of the sound, in one channel. */
  async sound(): Promise<Float32Array> {
    const bytes = await this.#read(
      ...["-vn", "-ac", "1", "-ar", String(soundRate), "-f", "f32le", "-"],
    );
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  }

  /** The size in bytes of the picture at that time; undefined if there is none. */
  async pictureAt(seconds: number): Promise<number> {
    const args = ["-v", "error", "-ss", String(seconds), "-i", this.path, "-frames:v", "1"];
    const { stdout } = await run("ffmpeg", [...args, "-f", "image2pipe", "-vcodec", "png", "-"], {
      encoding: "buffer",
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout.length;
  }

  async delete(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #probe(entries: string, ...more: readonly string[]): Promise<string> {
    const args = ["-v", "error", "-of", "json", "-show_entries", entries, ...more, this.path];
    return (await run("ffprobe", args, { maxBuffer: 64 * 1024 * 1024 })).stdout;
  }

  async #read(...args: readonly string[]): Promise<Buffer> {
    const { stdout } = await run("ffmpeg", ["-v", "error", "-i", this.path, ...args], {
      encoding: "buffer",
      maxBuffer: 512 * 1024 * 1024,
    });
    return stdout;
  }
}

export const soundRate = 48_000;

/** The times in seconds at which it becomes bright. */
export function flashes(brightness: Buffer, times: readonly number[]): readonly number[] {
  return times.filter((_, i) => (brightness[i] ?? 0) > 128 && (brightness[i - 1] ?? 255) <= 128);
}

/** The times in seconds at which a sound begins, after at least half a second of quiet. */
export function claps(sound: Float32Array): readonly number[] {
  const found: number[] = [];
  let lastLoud = Number.NEGATIVE_INFINITY;
  for (const [i, sample] of sound.entries()) {
    if (Math.abs(sample) < 0.05) continue;
    if (i - lastLoud > soundRate / 2) found.push(i / soundRate);
    lastLoud = i;
  }
  return found;
}

/**
 * How far apart each flash is from the nearest clap, in milliseconds: positive when sound is late.
 */
export function offsets(seen: readonly number[], heard: readonly number[]): readonly number[] {
  return seen.flatMap((flash) => {
    const nearest = heard.map((clap) => clap - flash).sort((a, b) => Math.abs(a) - Math.abs(b))[0];
    return nearest === undefined || Math.abs(nearest) > 0.5 ? [] : [Math.round(nearest * 1000)];
  });
}
