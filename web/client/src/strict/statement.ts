/**
 * A statement says to which device a leaf's signature key belongs. The service signs it for one
 * device in one place, and every member checks it. "Strict rooms" in
 * docs/reference/meeting-protocol.md describes it.
 */
import { fromBase64Url, toBase64Url } from "../recording/base64url.js";
import type { Role } from "../wire.js";

export interface Statement {
  readonly room: string;
  /** The meeting's id; empty when the device asked before the meeting had begun. */
  readonly meeting: string;
  /** A breakout room's id; null: the main room. */
  readonly place: string | null;
  readonly identity: string;
  readonly name: string;
  readonly role: Role;
  /** The SHA-256 digest of the raw signature public key, base64url. */
  readonly key: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The place and the meeting that a statement must be about. */
export interface StatementScope {
  readonly room: string;
  readonly meeting: string;
  readonly place: string | null;
}

const signedPrefix = new TextEncoder().encode("conclave statement v1:");
const shape = /^v1\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;
const longest = 4096;
const keyLength = 32;
const signatureLength = 64;
/** How far the clocks of two devices may differ. */
const clockSlack = 5 * 60_000;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Checks statements with the service's key, and remembers those that it found to be genuine. */
export class StatementVerifier {
  readonly #serviceKey: Promise<CryptoKey>;
  readonly #genuine = new Map<string, Statement>();

  constructor(serviceKey: Uint8Array<ArrayBuffer>) {
    this.#serviceKey = crypto.subtle.importKey("raw", serviceKey, "Ed25519", false, ["verify"]);
    this.#serviceKey.catch(() => {}); // every check fails instead
  }

  /** The verifier for a key as the service writes it. Throws when the text is not a key. */
  static of(serviceKey: string): StatementVerifier {
    const bytes = fromBase64Url(serviceKey);
    if (bytes.byteLength !== keyLength) throw new RangeError("The service's key has 32 bytes.");
    return new StatementVerifier(bytes);
  }

  /** What the statement says, if the service signed it for this signature key; else null. */
  async read(text: string, signatureKey: Uint8Array): Promise<Statement | null> {
    const known = this.#genuine.get(text);
    const statement = known ?? (await this.#open(text));
    if (!statement || statement.key !== (await keyDigest(signatureKey))) return null;
    this.#genuine.set(text, statement);
    return statement;
  }

  async #open(text: string): Promise<Statement | null> {
    if (text.length > longest) return null;
    const [, body = "", signatureText = ""] = shape.exec(text) ?? [];
    if (body === "") return null;
    try {
      const json = fromBase64Url(body);
      const signature = fromBase64Url(signatureText);
      if (signature.byteLength !== signatureLength) return null;
      const signed = new Uint8Array([...signedPrefix, ...json]);
      const key = await this.#serviceKey;
      if (!(await crypto.subtle.verify("Ed25519", key, signature, signed))) return null;
      return parse(JSON.parse(decoder.decode(json)));
    } catch {
      return null;
    }
  }
}

/** The digest by which statements name a signature key. */
export async function keyDigest(signatureKey: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(signatureKey));
  return toBase64Url(new Uint8Array(digest));
}

/**
 * Whether a statement is about this place of this meeting. A device may have got its statement
 * before the meeting had an id.
 */
export function isFrom(statement: Statement, scope: StatementScope): boolean {
  const isSameMeeting =
    statement.meeting === scope.meeting || statement.meeting === "" || scope.meeting === "";
  return statement.room === scope.room && statement.place === scope.place && isSameMeeting;
}

/** Whether a device with this statement may still be added. Members stay in when theirs expires. */
export function isCurrent(statement: Statement, now: number): boolean {
  return now < statement.expiresAt + clockSlack;
}

function parse(value: unknown): Statement | null {
  if (typeof value !== "object" || value === null) return null;
  const { room, meeting, place, identity, name, role, key, expires_at } = value as Record<
    string,
    unknown
  >;
  if (typeof room !== "string" || room === "" || typeof meeting !== "string") return null;
  if (place !== null && (typeof place !== "string" || place === "")) return null;
  if (typeof identity !== "string" || identity === "" || typeof name !== "string") return null;
  if (role !== "host" && role !== "participant") return null;
  if (typeof key !== "string" || typeof expires_at !== "string") return null;
  const expiresAt = Date.parse(expires_at);
  if (Number.isNaN(expiresAt)) return null;
  return { room, meeting, place, identity, name, role, key, expiresAt };
}
