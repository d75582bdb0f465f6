/**
 * The checks of a group's tree that a joining device makes (RFC 9420, section 7.9), and what the
 * group's code reads from a tree. The library's own check refuses many valid trees: those in which
 * members were added below several nodes that hold keys (docs/decisions/0023).
 */
import type { CiphersuiteImpl, GroupContext, KeyPackage, LeafNode, RatchetTree } from "ts-mls";
import { verifyLeafNodeSignature, verifyLeafNodeSignatureKeyPackage } from "ts-mls/leafNode.js";
import { verifyParentHashes } from "ts-mls/parentHash.js";
import { treeHashRoot } from "ts-mls/treeHash.js";
import {
  directPath,
  isLeaf,
  leafToNodeIndex,
  leafWidth,
  toLeafIndex,
  toNodeIndex,
} from "ts-mls/treemath.js";
import { credentialText, isFitting, type Membership, Refusal, sameBytes } from "./mls-suite.js";

/** A member as it stands in the tree. */
export interface TreeLeaf {
  readonly index: number;
  readonly credential: string;
  readonly signatureKey: Uint8Array;
}

/** The members in the order of their leaves. */
export function leavesOf(tree: RatchetTree): readonly TreeLeaf[] {
  const leaves: TreeLeaf[] = [];
  for (const [index, node] of tree.entries()) {
    if (node?.nodeType !== "leaf") continue;
    const credential = credentialText(node.leaf.credential);
    if (credential === null) throw new Refusal("invalid", "A leaf has no basic credential.");
    leaves.push({ index: index / 2, credential, signatureKey: node.leaf.signaturePublicKey });
  }
  return leaves;
}

/** The leaf that has this key package's content; undefined when there is none. */
export function leafOf(tree: RatchetTree, keyPackage: KeyPackage): number | undefined {
  const { signature } = keyPackage.leafNode;
  const index = tree.findIndex(
    (node) => node?.nodeType === "leaf" && sameBytes(node.leaf.signature, signature),
  );
  return index < 0 ? undefined : index / 2;
}

/** Throws unless a device may join the group that has this tree. */
export async function checkTree(
  tree: RatchetTree,
  context: GroupContext,
  membership: Membership,
  suite: CiphersuiteImpl,
): Promise<void> {
  const problem = shapeProblem(tree) ?? keyProblem(tree) ?? unmergedProblem(tree);
  if (problem) throw new Refusal("invalid", problem);
  for (const [index, node] of tree.entries()) {
    if (node?.nodeType !== "leaf") continue;
    await checkLeaf(node.leaf, index / 2, context, membership, suite);
  }
  const double = identityProblem(tree, membership);
  if (double) throw new Refusal("invalid", double);
  if (!sameBytes(context.treeHash, await treeHashRoot(tree, suite.hash))) {
    throw new Refusal("invalid", "The tree is not the group's.");
  }
  if (!(await verifyParentHashes(tree, suite.hash))) {
    throw new Refusal("invalid", "A parent hash of the tree is wrong.");
  }
}

async function checkLeaf(
  leaf: LeafNode,
  index: number,
  context: GroupContext,
  membership: Membership,
  suite: CiphersuiteImpl,
): Promise<void> {
  const isSigned =
    leaf.leafNodeSource === "key_package"
      ? await verifyLeafNodeSignatureKeyPackage(leaf, suite.signature)
      : await verifyLeafNodeSignature(leaf, context.groupId, index, suite.signature);
  if (!isSigned) throw new Refusal("invalid", "A leaf's signature is wrong.");
  if (!isFitting(leaf)) {
    throw new Refusal("invalid", "A leaf does not fit the group.");
  }
  const credential = credentialText(leaf.credential);
  if (credential === null || !(await membership.isGenuine(credential, leaf.signaturePublicKey))) {
    throw new Refusal("invalid", "A member has no valid statement.");
  }
}

/** Leaves stand at even indexes, parents at odd ones, in a tree of full width. */
function shapeProblem(tree: RatchetTree): string | null {
  const isFull = Number.isInteger(Math.log2(tree.length + 1));
  const isSound = [...tree.entries()].every(
    ([index, node]) => !node || (node.nodeType === "leaf") === isLeaf(toNodeIndex(index)),
  );
  return isFull && isSound ? null : "The tree's shape is wrong.";
}

/** The HPKE keys of a tree that were not in the tree before. */
export function newKeys(tree: RatchetTree, before: RatchetTree): readonly Uint8Array[] {
  const keysOf = (nodes: RatchetTree) =>
    nodes.flatMap((node) => {
      if (!node) return [];
      return [node.nodeType === "leaf" ? node.leaf.hpkePublicKey : node.parent.hpkePublicKey];
    });
  const known = new Set(keysOf(before).map((key) => key.join()));
  return keysOf(tree).filter((key) => !known.has(key.join()));
}

/** No two nodes may have the same key. */
export function keyProblem(tree: RatchetTree): string | null {
  const encryption = new Set<string>();
  const signature = new Set<string>();
  let nodes = 0;
  let leaves = 0;
  for (const node of tree) {
    if (!node) continue;
    nodes += 1;
    if (node.nodeType === "parent") {
      encryption.add(node.parent.hpkePublicKey.join());
      continue;
    }
    leaves += 1;
    encryption.add(node.leaf.hpkePublicKey.join());
    signature.add(node.leaf.signaturePublicKey.join());
  }
  const isUnique = encryption.size === nodes && signature.size === leaves;
  return isUnique ? null : "Two nodes of the tree have the same key.";
}

/** A parent's unmerged leaves must be below it, and every parent in between must list them too. */
function unmergedProblem(tree: RatchetTree): string | null {
  const problem = "The tree lists a wrong leaf as unmerged.";
  for (const [index, node] of tree.entries()) {
    if (node?.nodeType !== "parent") continue;
    let last = -1;
    for (const unmerged of node.parent.unmergedLeaves) {
      if (unmerged <= last) return problem;
      last = unmerged;
      const leafIndex = leafToNodeIndex(toLeafIndex(unmerged));
      if (tree[leafIndex]?.nodeType !== "leaf") return problem;
      const path = directPath(leafIndex, leafWidth(tree.length));
      const own = path.indexOf(toNodeIndex(index));
      if (own < 0) return problem;
      const isListed = path.slice(0, own).every((between) => {
        const other = tree[between];
        return other?.nodeType !== "parent" || other.parent.unmergedLeaves.includes(unmerged);
      });
      if (!isListed) return problem;
    }
  }
  return null;
}

/** No two members may be the same device. */
export function identityProblem(tree: RatchetTree, membership: Membership): string | null {
  const identities = new Set<string>();
  for (const { credential } of leavesOf(tree)) {
    const identity = membership.identityOf(credential);
    if (identity === null) return "A member has no identity.";
    if (identities.has(identity)) return "Two members have the same identity.";
    identities.add(identity);
  }
  return null;
}
