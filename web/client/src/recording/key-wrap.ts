/**
 * Wraps the key of an end_to_end recording with HPKE for each device that may play it
 * (docs/reference/recordings.md, "Keys of end_to_end recordings").
 */
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from "@hpke/core";
import { fromBase64Url, toBase64Url } from "./base64url.js";

/** A recording's key that only one device can open. */
export interface WrappedKey {
  /** The encapsulated key, base64url. */
  readonly enc: string;
  /** The wrapped key, base64url. */
  readonly ciphertext: string;
}

const encoder = new TextEncoder();
const info = encoder.encode("conclave-recording-key");
const curve = { name: "ECDH", namedCurve: "P-256" };

function newSuite(): CipherSuite {
  return new CipherSuite({
    kem: new DhkemP256HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes256Gcm(),
  });
}

/** Binds a wrapped key to its recording and its device. */
function addedData(recordingId: string, deviceId: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${recordingId}:${deviceId}`);
}

/** The keys of a device. The private one cannot be read; IndexedDB stores the pair as it is. */
export function newDeviceKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(curve, false, ["deriveBits"]);
}

/** The public key as the service keeps it: the uncompressed point, base64url. */
export async function publicKeyText(keys: CryptoKeyPair): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.exportKey("raw", keys.publicKey)));
}

/** Wraps a recording's key for a device. Rejects if the device's public key is not valid. */
export async function wrapRecordingKey(
  key: Uint8Array<ArrayBuffer>,
  recordingId: string,
  device: { readonly id: string; readonly public_key: string },
): Promise<WrappedKey> {
  const point = fromBase64Url(device.public_key);
  const recipientPublicKey = await crypto.subtle.importKey("raw", point, curve, true, []);
  const aad = addedData(recordingId, device.id);
  const sealed = await newSuite().seal({ recipientPublicKey, info }, key, aad);
  return {
    enc: toBase64Url(new Uint8Array(sealed.enc)),
    ciphertext: toBase64Url(new Uint8Array(sealed.ct)),
  };
}

/** Opens a wrapped key. Rejects if it is for another recording or another device. */
export async function unwrapRecordingKey(
  wrapped: WrappedKey,
  recordingId: string,
  deviceId: string,
  keys: CryptoKeyPair,
): Promise<Uint8Array<ArrayBuffer>> {
  const enc = fromBase64Url(wrapped.enc);
  const aad = addedData(recordingId, deviceId);
  const ciphertext = fromBase64Url(wrapped.ciphertext);
  const plain = await newSuite().open({ recipientKey: keys, enc, info }, ciphertext, aad);
  return new Uint8Array(plain);
}
