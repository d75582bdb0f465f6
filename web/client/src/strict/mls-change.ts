/** Which members a commit adds and removes, by its proposals. */
import type { IncomingMessageCallback } from "ts-mls";
import { isLinkSecretUsed } from "./link-secret.js";
import { credentialText, isFitting, Refusal } from "./mls-suite.js";

/** What is added and removed by a commit that somebody else made. */
export interface Change {
  readonly added: readonly { readonly credential: string; readonly signatureKey: Uint8Array }[];
  readonly removed: readonly number[];
}

/** The changes that a commit makes; a refusal when it is not one that our devices make. */
export function changeOf(
  incoming: Parameters<IncomingMessageCallback>[0],
  linkSecret: Uint8Array | null,
): Change | Refusal {
  if (incoming.kind !== "commit" || incoming.senderLeafIndex === undefined) {
    return new Refusal("invalid", "Not a commit of a member.");
  }
  const added: Change["added"][number][] = [];
  const removed: number[] = [];
  const psks = [];
  for (const { proposal } of incoming.proposals) {
    switch (proposal.proposalType) {
      case "add": {
        const { leafNode, extensions } = proposal.add.keyPackage;
        const credential = credentialText(leafNode.credential);
        if (credential === null || extensions.length > 0 || !isFitting(leafNode)) {
          return new Refusal("invalid", "Somebody is added who does not fit the group.");
        }
        added.push({ credential, signatureKey: leafNode.signaturePublicKey });
        break;
      }
      case "remove":
        removed.push(proposal.remove.removed);
        break;
      case "psk":
        psks.push(proposal.psk.preSharedKeyId);
        break;
      default:
        return new Refusal("invalid", "The commit does more than to add and to remove.");
    }
  }
  if (added.length + removed.length === 0)
    return new Refusal("invalid", "The commit does nothing.");
  const isRight = added.length > 0 ? isLinkSecretUsed(psks, linkSecret) : psks.length === 0;
  if (!isRight) return new Refusal("link_secret", "The commit adds without the link secret.");
  return { added, removed };
}
