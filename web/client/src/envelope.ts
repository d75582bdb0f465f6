/**
 * The sealed envelope in which chat and reactions travel (docs/reference/meeting-protocol.md,
 * "Data between devices"). The media server passes on encrypted and plain packets alike, so callers
 * drop what does not open here.
 */

export const chatTopic = "conclave.chat";
export const reactionTopic = "conclave.reaction";

const version = 1;
const ivLength = 12;
const tagLength = 16;
/**
 * Room for the longest message when its sender escapes each of its 2,000 characters in 12 bytes,
 * and some more. Larger ones are dropped without trying to open them.
 */
const longest = 32 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

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

/** Binds an envelope to its topic and sender, so that neither can be replaced. */
function addedData(topic: string, sender: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${topic}:${sender}`);
}

export async function seal(
  key: CryptoKey,
  topic: string,
  sender: string,
  message: unknown,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = crypto.getRandomValues(new Uint8Array(ivLength));
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: addedData(topic, sender) },
    key,
    encoder.encode(JSON.stringify(message)),
  );
  const packet = new Uint8Array(1 + ivLength + sealed.byteLength);
  packet[0] = version;
  packet.set(iv, 1);
  packet.set(new Uint8Array(sealed), 1 + ivLength);
  return packet;
}

/** Opens an envelope; null when it is none, or has another key, topic or sender. */
export async function open(
  key: CryptoKey,
  topic: string,
  sender: string,
  packet: Uint8Array,
): Promise<unknown> {
  if (packet.byteLength < 1 + ivLength + tagLength || packet.byteLength > longest) return null;
  if (packet[0] !== version) return null;
  // Copied, because the media library may hand over a view into a larger buffer.
  const bytes = new Uint8Array(packet);
  try {
    const plain = await crypto.subtle.decrypt(
      {
        name: "AES-GCM",
        iv: bytes.subarray(1, 1 + ivLength),
        additionalData: addedData(topic, sender),
      },
      key,
      bytes.subarray(1 + ivLength),
    );
    return JSON.parse(decoder.decode(plain)) as unknown;
  } catch {
    return null;
  }
}
