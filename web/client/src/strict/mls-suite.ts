/** What the files about MLS share: key packages, credentials, and how a message is refused. */
import type { Credential, KeyPackage, LeafNode, MLSMessage, PrivateKeyPackage } from "ts-mls";
import { generateKeyPackageWithKey, verifyKeyPackage } from "ts-mls/keyPackage.js";
import { verifyLeafNodeSignatureKeyPackage } from "ts-mls/leafNode.js";
import { defaultLifetime } from "ts-mls/lifetime.js";
import { decodeMlsMessage, encodeMlsMessage } from "ts-mls/message.js";
import { cipherSuite, suiteName } from "./mls-crypto.js";

/** Says that a message is refused, and why. */
export class Refusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "Refusal";
    this.reason = reason;
  }
}

/**
 * `link_secret`: the group uses a link secret that this device does not have, or lacks the one it
 * has. `invalid`: anything else.
 */
export type RefusalReason = "link_secret" | "invalid";

/** The keys with which a device signs during the whole call. */
export interface SignatureKeys {
  readonly publicKey: Uint8Array;
  /** PKCS #8. */
  readonly signKey: Uint8Array;
}

/** A key package of this device, with the private keys to it. */
export interface OwnKeyPackage {
  readonly bytes: Uint8Array;
  readonly keyPackage: KeyPackage;
  readonly privateKeys: PrivateKeyPackage;
}

/** Decides which devices may be members, by a device's credential and signature key. */
export interface Membership {
  /** Whether the credential is genuine and belongs to the key, so that a member may have both. */
  readonly isGenuine: (credential: string, signatureKey: Uint8Array) => Promise<boolean>;
  /** Whether the device may also be added now. */
  readonly mayBeAdded: (credential: string, signatureKey: Uint8Array) => Promise<boolean>;
  /** The identity that a credential names; null when it names none. No two leaves have the same. */
  readonly identityOf: (credential: string) => string | null;
}

export async function newSignatureKeys(): Promise<SignatureKeys> {
  return (await cipherSuite()).signature.keygen();
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Makes a key package. The credential is the device's statement, which says until when it is good. */
export async function newKeyPackage(
  credential: string,
  keys: SignatureKeys,
): Promise<OwnKeyPackage> {
  const { publicPackage: keyPackage, privatePackage: privateKeys } =
    await generateKeyPackageWithKey(
      { credentialType: "basic", identity: encoder.encode(credential) },
      {
        versions: ["mls10"],
        ciphersuites: [suiteName],
        extensions: [],
        proposals: [],
        credentials: ["basic"],
      },
      defaultLifetime,
      [],
      keys,
      await cipherSuite(),
    );
  const bytes = encodeMlsMessage({ version: "mls10", wireformat: "mls_key_package", keyPackage });
  return { bytes, keyPackage, privateKeys };
}

/** Erases the private keys of a key package that is not used any more. */
export function eraseKeyPackage({ privateKeys }: OwnKeyPackage): void {
  privateKeys.initPrivateKey.fill(0);
  privateKeys.hpkePrivateKey.fill(0);
}

/** A key package of another device, as far as it can be checked before it is added. */
export interface OfferedKeyPackage {
  readonly keyPackage: KeyPackage;
  readonly credential: string;
  readonly signatureKey: Uint8Array;
}

/** Reads a key package and checks its signatures and its credential; null when it is not valid. */
export async function readKeyPackage(
  bytes: Uint8Array,
  membership: Membership,
): Promise<OfferedKeyPackage | null> {
  try {
    const message = readMessage(bytes);
    if (message.wireformat !== "mls_key_package") return null;
    const { keyPackage } = message;
    if (keyPackage.version !== "mls10" || keyPackage.cipherSuite !== suiteName) return null;
    const { initKey, leafNode } = keyPackage;
    if (keyPackage.extensions.length > 0 || !isFitting(leafNode)) return null;
    // A key package that cannot be added would keep out the others of the same commit.
    if (sameBytes(initKey, leafNode.hpkePublicKey)) return null;
    if (!(await areUsable([initKey, leafNode.hpkePublicKey]))) return null;
    const { signature } = await cipherSuite();
    if (!(await verifyLeafNodeSignatureKeyPackage(keyPackage.leafNode, signature))) return null;
    if (!(await verifyKeyPackage(keyPackage, signature))) return null;
    const signatureKey = keyPackage.leafNode.signaturePublicKey;
    const credential = credentialText(keyPackage.leafNode.credential);
    if (credential === null) return null;
    if (!(await membership.mayBeAdded(credential, signatureKey))) return null;
    return { keyPackage, credential, signatureKey };
  } catch {
    return null;
  }
}

/** Whether a device with this leaf can be in our groups; its credential is another matter. */
export function isFitting({ capabilities, extensions }: LeafNode): boolean {
  const { versions, ciphersuites, credentials } = capabilities;
  const isCapable =
    versions.includes("mls10") && ciphersuites.includes(suiteName) && credentials.includes("basic");
  return isCapable && extensions.length === 0;
}

const probe = new Uint8Array(1);

/** Whether something can be encrypted with each of these HPKE keys. */
export async function areUsable(publicKeys: readonly Uint8Array[]): Promise<boolean> {
  const { hpke } = await cipherSuite();
  try {
    for (const key of publicKeys) await hpke.seal(await hpke.importPublicKey(key), probe, probe);
    return true;
  } catch {
    return false;
  }
}

/** Decodes a message that stands alone: nothing may follow it. */
export function readMessage(bytes: Uint8Array): MLSMessage {
  const decoded = decodeMlsMessage(bytes, 0);
  if (!decoded || decoded[1] !== bytes.byteLength) throw new Refusal("invalid", "Not a message.");
  return decoded[0];
}

/** The text of a basic credential; null for any other. */
export function credentialText(credential: Credential): string | null {
  if (credential.credentialType !== "basic") return null;
  try {
    return decoder.decode(credential.identity);
  } catch {
    return null;
  }
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && a.every((byte, index) => byte === b[index]);
}

/** The identifier of the link secret among pre-shared keys. */
export const linkSecretId = encoder.encode("conclave link");
