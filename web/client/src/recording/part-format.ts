/**
 * The encrypted parts of a recording, and its index (docs/reference/recordings.md, "Format of a
 * part").
 */

const keyBytes = 32;
const ivBytes = 12;

const encoder = new TextEncoder();

/** Names an encrypted piece of a recording: a part, by its number from 0, or the index. */
export type Piece = number | "index";

/** Makes the 32 bytes of a new recording's key. Each recording has a key of its own. */
export function newRecordingKey(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(keyBytes));
}

/** The key for encryptPart and decryptPart. No script can read it. */
export async function partKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  if (bytes.byteLength !== keyBytes) throw new Error("The key of a recording has 32 bytes.");
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** Binds a piece to its recording and its number, so that no piece can replace another. */
function addedData(recordingId: string, piece: Piece): Uint8Array<ArrayBuffer> {
  return encoder.encode(`service-recording:${recordingId}:${piece}`);
}

export async function encryptPart(
  key: CryptoKey,
  recordingId: string,
  piece: Piece,
  plain: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const additionalData = addedData(recordingId, piece);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, plain);
  const part = new Uint8Array(ivBytes + sealed.byteLength);
  part.set(iv);
  part.set(new Uint8Array(sealed), ivBytes);
  return part;
}

/** Rejects if the part is damaged, or belongs to another recording or another number. */
export async function decryptPart(
  key: CryptoKey,
  recordingId: string,
  piece: Piece,
  part: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = part.subarray(0, ivBytes);
  const additionalData = addedData(recordingId, piece);
  const plain = await crypto.subtle.decrypt(
    { name: "AES-GCM", iv, additionalData },
    key,
    part.subarray(ivBytes),
  );
  return new Uint8Array(plain);
}
