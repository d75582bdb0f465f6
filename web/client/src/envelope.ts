/**
 * The sealed envelope in which chat and reactions travel (docs/reference/meeting-protocol.md,
 * "Data between devices"). The media server passes on encrypted and plain packets alike, so callers
 * drop what does not open here.
 */

export const chatTopic = "conclave.chat";
export const reactionTopic = "conclave.reaction";

/** How packets are sealed and opened in one room. */
export interface Envelopes {
  /** Seals a message of this device, whose identity is `sender`. */
  readonly seal: (
    topic: string,
    sender: string,
    message: unknown,
  ) => Promise<Uint8Array<ArrayBuffer>>;
  /** Opens an envelope; null when the packet is not an envelope for this key, topic and sender. */
  readonly open: (topic: string, sender: string, packet: Uint8Array) => Promise<unknown>;
}

/** One key for everybody in the room, made from the passphrase of a standard meeting. */
const sharedKeyVersion = 1;
/** A key for each sender in each epoch of a strict meeting's group; the epoch follows. */
const epochVersion = 2;
const epochLength = 4;
const ivLength = 12;
const tagLength = 16;
/**
 * Room for the longest message when its sender escapes each of its 2,000 characters in 12 bytes,
 * and some more. Larger ones are dropped without trying to open them.
 */
const longest = 32 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The envelopes of a standard meeting. */
export async function passphraseEnvelopes(passphrase: string): Promise<Envelopes> {
  const key = await envelopeKey(passphrase);
  return {
    seal: (topic, sender, message) => seal(key, topic, sender, message),
    open: (topic, sender, packet) => open(key, topic, sender, packet),
  };
}

/** Derives the key of the envelopes from the meeting's passphrase. */
export async function envelopeKey(passphrase: string): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey("raw", encoder.encode(passphrase), "HKDF", false, [
    "deriveKey",
  ]);
  return crypto.subtle.deriveKey(
    {
      name: "HKDF",
      hash: "SHA-256",
      salt: new Uint8Array(0),
      info: encoder.encode("conclave data v1"),
    },
    secret,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

export function seal(
  key: CryptoKey,
  topic: string,
  sender: string,
  message: unknown,
): Promise<Uint8Array<ArrayBuffer>> {
  return sealAfter(Uint8Array.of(sharedKeyVersion), key, `${topic}:${sender}`, message);
}

/** Opens an envelope; null when the packet is not an envelope for this key, topic and sender. */
export async function open(
  key: CryptoKey,
  topic: string,
  sender: string,
  packet: Uint8Array,
): Promise<unknown> {
  if (packet[0] !== sharedKeyVersion) return null;
  return openAfter(1, key, `${topic}:${sender}`, packet);
}

/** Seals with the sender's key of an epoch. */
export function sealInEpoch(
  epoch: number,
  key: CryptoKey,
  topic: string,
  sender: string,
  message: unknown,
): Promise<Uint8Array<ArrayBuffer>> {
  const header = new Uint8Array(1 + epochLength);
  header[0] = epochVersion;
  new DataView(header.buffer).setUint32(1, epoch);
  return sealAfter(header, key, `${topic}:${sender}:${epoch}`, message);
}

/** The epoch in which an envelope was sealed; null when it was not sealed in an epoch. */
export function epochOf(packet: Uint8Array): number | null {
  if (packet[0] !== epochVersion || packet.byteLength < 1 + epochLength) return null;
  return new DataView(packet.buffer, packet.byteOffset).getUint32(1);
}

/** Opens with the sender's key of the epoch that epochOf says. */
export async function openInEpoch(
  key: CryptoKey,
  topic: string,
  sender: string,
  packet: Uint8Array,
): Promise<unknown> {
  const epoch = epochOf(packet);
  if (epoch === null) return null;
  return openAfter(1 + epochLength, key, `${topic}:${sender}:${epoch}`, packet);
}

/** `bound` is not in the envelope, but opens it: nobody can replace topic, sender or epoch. */
async function sealAfter(
  header: Uint8Array,
  key: CryptoKey,
  bound: string,
  message: unknown,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = crypto.getRandomValues(new Uint8Array(ivLength));
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: encoder.encode(bound) },
    key,
    encoder.encode(JSON.stringify(message)),
  );
  return new Uint8Array([...header, ...iv, ...new Uint8Array(sealed)]);
}

async function openAfter(
  header: number,
  key: CryptoKey,
  bound: string,
  packet: Uint8Array,
): Promise<unknown> {
  if (packet.byteLength < header + ivLength + tagLength || packet.byteLength > longest) return null;
  // Copied, because the media library may hand over a view into a larger buffer.
  const bytes = new Uint8Array(packet);
  try {
    const plain = await crypto.subtle.decrypt(
      {
        name: "AES-GCM",
        iv: bytes.subarray(header, header + ivLength),
        additionalData: encoder.encode(bound),
      },
      key,
      bytes.subarray(header + ivLength),
    );
    return JSON.parse(decoder.decode(plain)) as unknown;
  } catch {
    return null;
  }
}
