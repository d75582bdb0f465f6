import { WebhookError } from "./error.js";

/** The header that carries the signature. */
export const signatureHeader = "Service-Signature";

/** How old a signature may be. */
export const defaultToleranceSeconds = 300;

/** The body exactly as received: its bytes, or their text. */
export type Body = string | ArrayBuffer | Uint8Array;

export interface VerifyOptions {
  /**
   * The secret of the endpoint as the service showed it, or several secrets. One is enough during a
   * rotation too, because the service signs with both. `undefined` is accepted here, for values of
   * `process.env`, and is an error when a request is verified.
   */
  readonly secret: string | undefined | readonly (string | undefined)[];
  /** How old a signature may be, in seconds; default 300. */
  readonly toleranceSeconds?: number;
  /** The clock in milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

const secretPrefix = "whsec_";

/**
 * Resolves when the service signed this body, and rejects with a {@link WebhookError} otherwise.
 * `header` is the value of Service-Signature.
 */
export async function verify(
  body: Body,
  header: string | null | undefined,
  options: VerifyOptions,
): Promise<void> {
  const secrets = usable(options.secret);
  const tolerance = options.toleranceSeconds ?? defaultToleranceSeconds;
  if (Number.isNaN(Number(tolerance))) {
    // No age exceeds it, so that requests of any age would be accepted.
    throw new TypeError("toleranceSeconds must be a number of seconds.");
  }
  const signature = parseSignature(header);
  const signed = signedText(signature.timestamp, body);
  let matches = false;
  for (const secret of secrets) {
    // One digest for each secret, however many signatures a stranger sends. All of them are
    // compared, even after a match.
    const want = await digest(secret, signed);
    for (const given of signature.v1) matches = isSame(given, want) || matches;
  }
  if (!matches) {
    throw new WebhookError(
      "signature_mismatch",
      "No signature matches: the secret is wrong, or the body is not the bytes that were received.",
    );
  }
  const age = Math.floor((options.now ?? Date.now)() / 1000) - Number(signature.timestamp);
  if (age > tolerance) {
    throw new WebhookError(
      "too_old",
      `The signature was made ${age} seconds ago, but at most ${tolerance} are allowed. Is this machine's clock right?`,
    );
  }
}

/** Makes the value of Service-Signature as the service does: for tests of a receiver. */
export async function sign(secret: string, body: Body, at: Date = new Date()): Promise<string> {
  const t = String(Math.floor(at.getTime() / 1000));
  const sum = await digest(secret, signedText(t, body));
  const hex = Array.from(sum, (byte) => byte.toString(16).padStart(2, "0"));
  return `t=${t},v1=${hex.join("")}`;
}

function usable(secret: VerifyOptions["secret"]): string[] {
  const secrets = typeof secret === "string" || secret === undefined ? [secret] : secret;
  const good = secrets.filter(
    (one) => one?.startsWith(secretPrefix) === true && one !== secretPrefix,
  );
  if (good.length === 0 || good.length !== secrets.length) {
    throw new WebhookError(
      "no_secret",
      "There is no secret to verify with. It begins with whsec_ and was shown when the endpoint was created.",
    );
  }
  return good as string[];
}

interface Signature {
  /** As written in the header, because the signature covers this text. */
  readonly timestamp: string;
  /** Leaves out signatures that are not hex of the right length, because they cannot match. */
  readonly v1: readonly Uint8Array<ArrayBuffer>[];
}

/** Reads "t=<unix seconds>,v1=<hex>" with one or more v1, and ignores unknown schemes. */
function parseSignature(header: string | null | undefined): Signature {
  if (header === null || header === undefined || header.trim() === "") {
    throw new WebhookError("no_signature", `The request has no ${signatureHeader} header.`);
  }
  let timestamp = "";
  let found = false;
  const v1: Uint8Array<ArrayBuffer>[] = [];
  for (const item of header.split(",")) {
    const [key = "", ...rest] = item.trim().split("=");
    const value = rest.join("=");
    if (rest.length === 0) throw malformed();
    if (key === "t") {
      // 15 digits are enough for thirty million years, and exact in every language.
      if (timestamp !== "" || !/^[0-9]{1,15}$/.test(value)) throw malformed();
      timestamp = value;
    } else if (key === "v1") {
      found = true;
      if (/^[0-9a-f]{64}$/i.test(value)) v1.push(bytesOf(value));
    }
  }
  if (timestamp === "" || !found) throw malformed();
  return { timestamp, v1 };
}

function malformed(): WebhookError {
  return new WebhookError(
    "malformed_signature",
    `The ${signatureHeader} header cannot be read: it needs t=<unix seconds> once, and v1=<hex>.`,
  );
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) =>
    Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16),
  );
}

function signedText(timestamp: string, body: Body): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${timestamp}.`);
  const tail = bytes(body);
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

function bytes(body: Body): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  // JavaScript callers may pass an object that a framework parsed.
  throw new TypeError(
    "The body must be the bytes that were received, not a parsed object: read it before a JSON parser does.",
  );
}

/** The HMAC-SHA256 of the signed text. */
async function digest(secret: string, signed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const { subtle } = await webCrypto();
  const raw = new TextEncoder().encode(secret);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await subtle.importKey("raw", raw, hmac, false, ["sign"]);
  return new Uint8Array(await subtle.sign("HMAC", key, signed));
}

/** Compares two digests in constant time. */
function isSame(given: Uint8Array, want: Uint8Array): boolean {
  let differences = given.length ^ want.length;
  for (const [i, byte] of want.entries()) differences |= byte ^ (given[i] ?? 0);
  return differences === 0;
}

/** WebCrypto is a global everywhere except in Node 18. */
async function webCrypto(): Promise<typeof globalThis.crypto> {
  return globalThis.crypto ?? (await import("node:crypto")).webcrypto;
}
