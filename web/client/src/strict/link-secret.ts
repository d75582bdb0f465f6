/**
 * The link secret: a part of the link behind the `#`, which never reaches the service. It goes into
 * the key schedule whenever somebody is added, so that a device without it learns no key, whatever
 * the service says.
 */
import type { PreSharedKeyID, ProposalPSK, PskIndex } from "ts-mls";
import { toBase64Url } from "../recording/base64url.js";
import { linkSecretId, sameBytes } from "./mls-suite.js";

/** As long as the hash of the cipher suite (RFC 9420, section 8.4). */
const nonceLength = 32;

/** The proposal that takes the link secret into the next epoch. */
export function linkSecretProposal(): ProposalPSK {
  return {
    proposalType: "psk",
    psk: {
      preSharedKeyId: {
        psktype: "external",
        pskId: linkSecretId,
        pskNonce: crypto.getRandomValues(new Uint8Array(nonceLength)),
      },
    },
  };
}

/** Gives the library the pre-shared key that it asks for. The link secret is the only one. */
export function linkPskIndex(linkSecret: Uint8Array | null): PskIndex {
  return {
    findPsk: (id) => (linkSecret && isLinkSecret(id) ? linkSecret : undefined),
  };
}

/** Whether a commit that adds devices uses the link secret, or no key when there is none. */
export function isLinkSecretUsed(
  ids: readonly PreSharedKeyID[],
  linkSecret: Uint8Array | null,
): boolean {
  if (!linkSecret) return ids.length === 0;
  const [id] = ids;
  return ids.length === 1 && id !== undefined && isLinkSecret(id);
}

/**
 * A digest of the link secret for one group, base64url; null when there is none. It may be known,
 * because nobody can guess 128 random bits.
 */
export async function linkDigest(
  linkSecret: Uint8Array | null,
  groupId: Uint8Array,
): Promise<string | null> {
  if (!linkSecret) return null;
  const key = await crypto.subtle.importKey(
    "raw",
    linkSecret.slice(),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const said = new Uint8Array([...new TextEncoder().encode("conclave link v1:"), ...groupId]);
  return toBase64Url(new Uint8Array(await crypto.subtle.sign("HMAC", key, said)));
}

function isLinkSecret(id: PreSharedKeyID): boolean {
  return id.psktype === "external" && sameBytes(id.pskId, linkSecretId);
}
