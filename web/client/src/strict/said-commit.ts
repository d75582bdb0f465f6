/** Whether a commit does what its author said of it. */
import type { SaidCommit } from "./group-protocol.js";
import { Refusal } from "./mls-suite.js";
import { keyDigest } from "./statement.js";

/** What a commit really does, as far as a device can tell. */
export interface DoneCommit {
  /** The same digest as its author's, when both are in one epoch. */
  readonly check: string;
  /** The digest of this device's link secret; null when it has none. */
  readonly link: string | null;
  /** The identities of those that it adds and removes. */
  readonly adds: readonly string[];
  readonly removes: readonly string[];
}

/**
 * What the author of a commit said of it; null if the service kept or tells nothing of it, because
 * a node runs an earlier version, or ran one when the commit was made. The present version refuses
 * a commit without a check.
 */
export function saidOf(taken: Partial<SaidCommit>): SaidCommit | null {
  const { check, link = null, adds = [], removes = [] } = taken;
  return check ? { check, link, adds, removes } : null;
}

/** Throws unless the commit leads to the epoch, and changes the members, that its author told. */
export function checkCommit(said: SaidCommit, done: DoneCommit): void {
  const adds = said.adds.map(({ identity }) => identity);
  if (!areSame(adds, done.adds) || !areSame(said.removes, done.removes)) {
    throw new Refusal("invalid", "The commit changes other members than its author said.");
  }
  if (adds.length > 0 && said.link !== done.link) {
    throw new Refusal(
      "invalid",
      "The author stated another link secret than the one of this group.",
    );
  }
  if (said.check !== done.check) {
    throw new Refusal("invalid", "The commit leads to another epoch than its author said.");
  }
}

/**
 * Throws unless a welcome leads to the epoch that its author told. All who apply the commit check
 * the same digest, so that nobody is brought into a group of their own.
 */
export function checkWelcome(said: SaidCommit, done: Pick<DoneCommit, "check" | "link">): void {
  if (said.check === done.check && said.link === done.link) return;
  throw new Refusal("invalid", "The welcome leads to another epoch than its author said.");
}

/**
 * Whether a commit says that it adds a device with this key package. When a request was slow, the
 * service may have had an earlier one, and nobody is to blame.
 */
export async function isOffered(
  keyPackage: Uint8Array,
  me: string,
  { adds }: Pick<SaidCommit, "adds">,
): Promise<boolean> {
  const digest = await keyDigest(keyPackage);
  return adds.some(({ identity, key_package }) => identity === me && key_package === digest);
}

/** Why this device cannot take a welcome, in view of what its author said of the link secret. */
export function judgeWelcome(
  refusal: Refusal,
  said: Pick<SaidCommit, "link">,
  link: string | null,
): Refusal {
  // The members refuse an author who lies about the secret, so here the welcome is wrong.
  if (refusal.reason !== "link_secret" || said.link !== link) return refusal;
  return new Refusal("invalid", `The author told of this link secret. ${refusal.message}`, refusal);
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  const sorted = [...others].sort();
  return some.length === others.length && [...some].sort().every((one, i) => one === sorted[i]);
}
