/**
 * The cipher suite of our groups from WebCrypto and @hpke/core. The library's own provider also loads
 * the code of all other suites, part of which it does not declare as a dependency.
 */
import { Aes128Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";
import type { CiphersuiteImpl } from "ts-mls";
import { makeHashImpl } from "ts-mls/crypto/implementation/default/makeHashImpl.js";
import { makeKdfImpl } from "ts-mls/crypto/implementation/default/makeKdfImpl.js";
import { makeGenericHpke } from "ts-mls/crypto/implementation/hpke.js";

export const suiteName = "MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519";

const hpkeNames = {
  kem: "DHKEM-X25519-HKDF-SHA256",
  kdf: "HKDF-SHA256",
  aead: "AES128GCM",
} as const;

export async function cipherSuite(): Promise<CiphersuiteImpl> {
  const hpke = new CipherSuite({
    kem: new DhkemX25519HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes128Gcm(),
  });
  return {
    name: suiteName,
    hash: makeHashImpl(crypto.subtle, "SHA-256"),
    kdf: makeKdfImpl(new HkdfSha256()),
    hpke: await makeGenericHpke(hpkeNames, { encrypt, decrypt }, hpke),
    signature: { sign, verify, keygen },
    rng: { randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
  };
}

async function encrypt(
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  plaintext: Uint8Array,
): Promise<Uint8Array> {
  const aes = await crypto.subtle.importKey("raw", own(key), "AES-GCM", false, ["encrypt"]);
  return new Uint8Array(await crypto.subtle.encrypt(gcm(nonce, aad), aes, own(plaintext)));
}

async function decrypt(
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  ciphertext: Uint8Array,
): Promise<Uint8Array> {
  const aes = await crypto.subtle.importKey("raw", own(key), "AES-GCM", false, ["decrypt"]);
  return new Uint8Array(await crypto.subtle.decrypt(gcm(nonce, aad), aes, own(ciphertext)));
}

function gcm(nonce: Uint8Array, aad: Uint8Array): AesGcmParams {
  return { name: "AES-GCM", iv: own(nonce), additionalData: own(aad) };
}

async function sign(signKey: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("pkcs8", own(signKey), "Ed25519", false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("Ed25519", key, own(message)));
}

async function verify(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const key = await crypto.subtle.importKey("raw", own(publicKey), "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, own(signature), own(message));
}

async function keygen(): Promise<{ publicKey: Uint8Array; signKey: Uint8Array }> {
  const pair = (await crypto.subtle.generateKey("Ed25519", true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const [publicKey, signKey] = await Promise.all([
    crypto.subtle.exportKey("raw", pair.publicKey),
    crypto.subtle.exportKey("pkcs8", pair.privateKey),
  ]);
  return { publicKey: new Uint8Array(publicKey), signKey: new Uint8Array(signKey) };
}

/** Gives bytes the type that WebCrypto asks for: none of ours are in memory shared by threads. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}
