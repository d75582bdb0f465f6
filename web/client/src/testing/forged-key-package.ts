import type { KeyPackage } from "ts-mls";
import { signKeyPackage } from "ts-mls/keyPackage.js";
import { signLeafNodeKeyPackage } from "ts-mls/leafNode.js";
import { cipherSuite } from "../strict/mls-crypto.js";
import { newKeyPackage, type SignatureKeys } from "../strict/mls-suite.js";

/** What a modified device changes in its key package before it signs it. */
export type Forgery = (real: KeyPackage) => KeyPackage;

/** A key package of a modified device, signed by it as it should be. */
export async function forgedKeyPackage(
  statement: string,
  keys: SignatureKeys,
  forge: Forgery,
): Promise<KeyPackage> {
  const { signature } = await cipherSuite();
  const forged = forge((await newKeyPackage(statement, keys)).keyPackage);
  const { leafNode } = forged;
  if (leafNode.leafNodeSource !== "key_package") throw new Error("There is no such forgery.");
  const leaf = await signLeafNodeKeyPackage(leafNode, keys.signKey, signature);
  return signKeyPackage({ ...forged, leafNode: leaf }, keys.signKey, signature);
}

export const forgeries: readonly (readonly [string, Forgery])[] = [
  [
    "knows no credentials",
    ({ leafNode, ...rest }) => ({
      ...rest,
      leafNode: { ...leafNode, capabilities: { ...leafNode.capabilities, credentials: [] } },
    }),
  ],
  [
    "has a key of its leaf that is none",
    ({ leafNode, ...rest }) => ({
      ...rest,
      leafNode: { ...leafNode, hpkePublicKey: new Uint8Array(32) },
    }),
  ],
  [
    "has no key to be welcomed by",
    ({ initKey, ...rest }) => ({ ...rest, initKey: new Uint8Array(32) }),
  ],
  [
    "has one key for two things",
    ({ leafNode, ...rest }) => ({ ...rest, leafNode, initKey: leafNode.hpkePublicKey }),
  ],
];
