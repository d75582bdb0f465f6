import { toBase64Url } from "../recording/base64url.js";
import { bytesOf } from "./bytes.js";
import type { Change, Offer } from "./group-moves.js";
import type { NewCommit, WaitingDevice } from "./group-protocol.js";
import type { StatementMembership } from "./membership.js";
import type { PendingCommit } from "./mls-group.js";
import { type OfferedKeyPackage, readKeyPackage } from "./mls-suite.js";

/** The key packages of the devices that wait. Each is checked once. */
export class OfferBook {
  readonly #offers = new Map<string, OfferedKeyPackage | null>();
  /** Key packages that could not be added together: each is tried alone, after all others. */
  readonly #doubted = new Set<string>();

  /** Checks the key packages that are new, and forgets those that are gone. */
  async read(
    waiting: readonly WaitingDevice[],
    membership: StatementMembership | null,
  ): Promise<void> {
    const texts = new Set(waiting.map(({ key_package }) => key_package));
    for (const text of this.#offers.keys()) if (!texts.has(text)) this.#offers.delete(text);
    for (const text of this.#doubted) if (!texts.has(text)) this.#doubted.delete(text);
    if (!membership) return;
    for (const { identity, key_package } of waiting) {
      if (this.#offers.has(key_package)) continue;
      const bytes = bytesOf(key_package);
      const offer = bytes && (await readKeyPackage(bytes, membership));
      const isTheirs = offer && membership.identityOf(offer.credential) === identity;
      this.#offers.set(key_package, isTheirs ? offer : null);
    }
  }

  /** The valid key packages, by their text. */
  get valid(): ReadonlyMap<string, Offer> {
    const valid = new Map<string, Offer>();
    for (const [text, offer] of this.#offers) {
      if (!offer) continue;
      const isDoubted = this.#doubted.has(text);
      valid.set(text, { signatureKey: toBase64Url(offer.signatureKey), isDoubted });
    }
    return valid;
  }

  of({ adds }: Change): readonly OfferedKeyPackage[] {
    return adds.flatMap(({ keyPackage }) => this.#offers.get(keyPackage) ?? []);
  }

  /** Notes that one of these could not be added, although each looked valid alone. */
  refuse({ adds, removes }: Change): void {
    const isAlone = adds.length === 1 && removes.length === 0;
    for (const { keyPackage } of adds) {
      if (isAlone) this.#offers.set(keyPackage, null);
      else this.#doubted.add(keyPackage);
    }
  }
}

/** A commit that makes this change, as the service takes it. */
export async function newCommitOf(
  groupId: string,
  made: PendingCommit,
  change: Change,
): Promise<NewCommit> {
  return {
    group_id: groupId,
    epoch: made.epoch,
    commit: toBase64Url(made.commit),
    welcome: made.welcome && toBase64Url(made.welcome),
    check: made.check,
    link: made.link,
    adds: await addsOf(change),
    removes: change.removes.map(({ identity }) => identity),
  };
}

/** The added devices, with digests of their key packages. */
function addsOf({ adds }: Change): Promise<NewCommit["adds"]> {
  return Promise.all(
    adds.map(async ({ identity, keyPackage }) => {
      const bytes = bytesOf(keyPackage) ?? new Uint8Array();
      const digest = await crypto.subtle.digest("SHA-256", bytes);
      return { identity, key_package: toBase64Url(new Uint8Array(digest)) };
    }),
  );
}
