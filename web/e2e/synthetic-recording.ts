import { execFile } from "node:child_process";
import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { wrapRecordingKey } from "@conclave/client/recording/key-wrap";
import type { Person } from "./people";
import type { Room, ServiceUnderTest } from "./service";

/** A film without people: red, then green, then blue, with a tone. Fragmented, two seconds each. */
export interface Film {
  readonly mimeType: "video/mp4" | "video/webm";
  /** The bytes before the first fragment. */
  readonly head: Buffer;
  readonly fragments: readonly Buffer[];
}

/** The length of a part of a film, in seconds. */
export const partSeconds = 10;

export async function makeFilm(
  seconds: number,
  mimeType: Film["mimeType"] = "video/mp4",
): Promise<Film> {
  const folder = await mkdtemp(join(tmpdir(), "conclave-film-"));
  const path = join(folder, "film");
  const third = seconds / 3;
  const colours = ["red", "lime", "blue"].flatMap((colour) => [
    ...["-f", "lavfi", "-i", `color=${colour}:size=320x180:rate=12:duration=${third}`],
  ]);
  await promisify(execFile)("ffmpeg", [
    ...["-v", "error", ...colours],
    ...["-f", "lavfi", "-i", `sine=frequency=440:duration=${seconds}`],
    ...["-filter_complex", "[0][1][2]concat=n=3[picture]", "-map", "[picture]", "-map", "3"],
    ...["-g", "24", "-keyint_min", "24", "-pix_fmt", "yuv420p", ...formats[mimeType], path],
  ]);
  const bytes = await readFile(path);
  await rm(folder, { recursive: true });
  return mimeType === "video/mp4" ? cutMP4(bytes) : cutWebM(bytes);
}

const formats = {
  "video/mp4": [
    ...["-c:v", "libx264", "-profile:v", "baseline", "-preset", "ultrafast", "-c:a", "aac"],
    ...["-sc_threshold", "0", "-movflags", "frag_keyframe+empty_moov+default_base_moof"],
    ...["-f", "mp4"],
  ],
  "video/webm": [
    ...["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus"],
    ...["-cluster_time_limit", "2000", "-live", "1", "-f", "webm"],
  ],
};

/** Cuts a WebM before each cluster. */
function cutWebM(bytes: Buffer): Film {
  const cluster = Buffer.from("1f43b675", "hex");
  const begins: number[] = [];
  for (let at = bytes.indexOf(cluster); at >= 0; at = bytes.indexOf(cluster, at + 4))
    begins.push(at);
  return {
    mimeType: "video/webm",
    head: bytes.subarray(0, begins[0]),
    fragments: begins.map((from, i) => bytes.subarray(from, begins[i + 1])),
  };
}

/** Cuts a fragmented MP4 before each moof. */
function cutMP4(bytes: Buffer): Film {
  const begins: number[] = [];
  let end = bytes.length;
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (type === "moof") begins.push(at);
    if (type === "mfra") end = at;
  }
  return {
    mimeType: "video/mp4",
    head: bytes.subarray(0, begins[0]),
    fragments: begins.map((from, i) => bytes.subarray(from, begins[i + 1] ?? end)),
  };
}

/** The parts of a film, cut as a recorder does: whole fragments, ten seconds in each part. */
export function partsOf({ head, fragments }: Film): readonly Buffer[] {
  const perPart = partSeconds / 2;
  const parts: Buffer[] = [];
  for (let from = 0; from < fragments.length; from += perPart) {
    const some = fragments.slice(from, from + perPart);
    parts.push(Buffer.concat(from === 0 ? [head, ...some] : some));
  }
  return parts;
}

export interface RecordingPlan {
  /** The ticket of a host who is in the meeting. */
  readonly ticket: string;
  readonly room: Room;
  readonly film: Film;
  readonly withIndex?: boolean;
  /** Damages this part before it is sent. */
  readonly damaged?: number;
  /** The key of the recording; a random one by default. */
  readonly key?: Buffer;
  /** The recording does not end. */
  readonly isUnfinished?: boolean;
}

/** The ticket of a person's seat, with which their device records. */
export function ticketOf({ page }: Person, { code }: Room): Promise<string> {
  const key = `conclave.seat.${code}`;
  return page.evaluate((name) => window.sessionStorage.getItem(name) ?? "", key);
}

/** Uploads a film through the protocol, as a host's device does. Returns the recording's id. */
export async function record(service: ServiceUnderTest, plan: RecordingPlan): Promise<string> {
  const upload = await begin(service, plan);
  if (isEndToEnd(plan)) await sendKey(upload, plan.ticket);
  const starts = await sendParts(upload, plan);
  if (plan.withIndex ?? true) await sendIndex(upload, starts);
  if (!plan.isUnfinished) await finish(upload, starts.length);
  return upload.id;
}

/** A recording that has begun and takes parts. */
interface Upload {
  readonly service: ServiceUnderTest;
  readonly id: string;
  /** What a device shows to send parts. */
  readonly secret: string;
  readonly key: Buffer;
}

/** When a part begins, in milliseconds, and where, in bytes. */
type PartStart = readonly [number, number];

function isEndToEnd({ room }: RecordingPlan): boolean {
  return room.settings["recordings"] === "end_to_end";
}

async function begin(service: ServiceUnderTest, plan: RecordingPlan): Promise<Upload> {
  const key = plan.key ?? randomBytes(32);
  const answer = await ask<{ id: string; upload_secret: string }>(
    { service },
    "POST",
    "",
    plan.ticket,
    {
      mime_type: plan.film.mimeType,
      ...(isEndToEnd(plan) ? {} : { key: key.toString("base64url") }),
    },
  );
  return { service, id: answer.id, secret: answer.upload_secret, key };
}

/** Sends the key of an end_to_end recording, wrapped for each of the hosts' devices. */
async function sendKey(upload: Upload, ticket: string): Promise<void> {
  const devices = await ask<{ data: { id: string; public_key: string }[] }>(
    upload,
    "GET",
    "/devices",
    ticket,
  );
  const wraps = [];
  for (const device of devices.data) {
    const wrap = await wrapRecordingKey(new Uint8Array(upload.key), upload.id, device);
    wraps.push({ device_id: device.id, ...wrap });
  }
  await ask(upload, "POST", `/${upload.id}/wraps`, upload.secret, { wraps });
}

async function sendParts(upload: Upload, plan: RecordingPlan): Promise<readonly PartStart[]> {
  const starts: PartStart[] = [];
  let offset = 0;
  for (const [part, plain] of partsOf(plan.film).entries()) {
    starts.push([part * partSeconds * 1000, offset]);
    offset += plain.length;
    const sealed = seal(upload, part, plain);
    if (part === plan.damaged) sealed[100] = (sealed[100] ?? 0) ^ 1;
    const path = `/${upload.id}/parts/${part}?ends_ms=${(part + 1) * partSeconds * 1000}`;
    await ask(upload, "PUT", path, upload.secret, sealed);
  }
  return starts;
}

async function sendIndex(upload: Upload, parts: readonly PartStart[]): Promise<void> {
  const sealed = seal(upload, "index", Buffer.from(JSON.stringify({ version: 1, parts })));
  await ask(upload, "PUT", `/${upload.id}/index`, upload.secret, sealed);
}

async function finish({ id, secret, ...upload }: Upload, parts: number): Promise<void> {
  await ask(upload, "POST", `/${id}/finish`, secret, { parts });
}

function seal({ id, key }: Upload, place: number | "index", plain: Buffer): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  cipher.setAAD(Buffer.from(`service-recording:${id}:${place}`));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Makes a request about recordings. Bytes go with their digest, and everything else as JSON. */
async function ask<T>(
  { service }: Pick<Upload, "service">,
  method: string,
  path: string,
  bearer: string,
  content?: Buffer | object,
): Promise<T> {
  const response = await fetch(`${service.url}/meet/v1/recordings${path}`, {
    method,
    headers: { Authorization: `Bearer ${bearer}`, ...headersOf(content) },
    ...(content ? { body: bodyOf(content) } : {}),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
  return JSON.parse(answer) as T;
}

function headersOf(content: Buffer | object | undefined): Record<string, string> {
  if (content === undefined) return {};
  if (!Buffer.isBuffer(content)) return { "Content-Type": "application/json" };
  return {
    "Content-Type": "application/octet-stream",
    "Content-Digest": `sha-256=:${createHash("sha256").update(content).digest("base64")}:`,
  };
}

function bodyOf(content: Buffer | object): BodyInit {
  return Buffer.isBuffer(content) ? new Uint8Array(content) : JSON.stringify(content);
}
