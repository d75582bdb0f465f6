/**
 * Joining a group by a welcome (RFC 9420, section 12.4.3.1), from the library's parts. The library's
 * own function refuses some valid trees (see mls-tree.ts).
 */
import type {
  CiphersuiteImpl,
  ClientConfig,
  ClientState,
  GroupInfo,
  RatchetTree,
  Welcome,
} from "ts-mls";
import {
  ratchetTreeFromExtension,
  verifyGroupInfoConfirmationTag,
  verifyGroupInfoSignature,
} from "ts-mls/groupInfo.js";
import type { GroupSecrets } from "ts-mls/groupSecrets.js";
import { makeKeyPackageRef } from "ts-mls/keyPackage.js";
import { deriveKeySchedule } from "ts-mls/keySchedule.js";
import { pathToRoot } from "ts-mls/pathSecrets.js";
import {
  mergePrivateKeyPaths,
  type PrivateKeyPath,
  toPrivateKeyPath,
} from "ts-mls/privateKeyPath.js";
import { accumulatePskSecret } from "ts-mls/pskIndex.js";
import { createSecretTree } from "ts-mls/secretTree.js";
import { leafToNodeIndex, leafWidth, toLeafIndex } from "ts-mls/treemath.js";
import { firstCommonAncestor } from "ts-mls/updatePath.js";
import { decryptGroupInfo, decryptGroupSecrets } from "ts-mls/welcome.js";
import { isLinkSecretUsed, linkPskIndex } from "./link-secret.js";
import { suiteName } from "./mls-crypto.js";
import {
  type Membership,
  type OwnKeyPackage,
  Refusal,
  readMessage,
  sameBytes,
} from "./mls-suite.js";
import { checkTree, leafOf } from "./mls-tree.js";

export interface Joining {
  readonly welcome: Uint8Array;
  readonly own: OwnKeyPackage;
  /** The group that the device expects to join. */
  readonly groupId: Uint8Array;
  readonly membership: Membership;
  readonly linkSecret: Uint8Array | null;
  readonly config: ClientConfig;
}

/** The state of a member that has just joined. Rejects with a Refusal. */
export async function stateFromWelcome(
  joining: Joining,
  suite: CiphersuiteImpl,
): Promise<ClientState> {
  const { own, linkSecret } = joining;
  const message = readMessage(joining.welcome);
  if (message.wireformat !== "mls_welcome") throw new Refusal("invalid", "Not a welcome.");
  const { welcome } = message;
  const secrets = await secretsOf(welcome, joining, suite);
  const pskSecret = await pskSecretOf(secrets, linkSecret, suite);
  const info = await infoOf(welcome, secrets.joinerSecret, pskSecret, linkSecret, suite);
  const tree = ratchetTreeFromExtension(info);
  if (!tree) throw new Refusal("invalid", "The welcome comes without the tree.");
  await checkInfo(joining, info, tree, suite);
  const leafIndex = leafOf(tree, own.keyPackage);
  if (leafIndex === undefined) throw new Refusal("invalid", "This device is not in the tree.");
  const [keySchedule, encryptionSecret] = await deriveKeySchedule(
    secrets.joinerSecret,
    pskSecret,
    info.groupContext,
    suite.kdf,
  );
  if (!(await verifyGroupInfoConfirmationTag(info, secrets.joinerSecret, pskSecret, suite))) {
    throw new Refusal("invalid", "The group's confirmation is wrong.");
  }
  const privatePath = await privatePathOf(
    tree,
    leafIndex,
    info.signer,
    secrets.pathSecret,
    own,
    suite,
  );
  const secretTree = await createSecretTree(leafWidth(tree.length), encryptionSecret, suite.kdf);
  encryptionSecret.fill(0);
  secrets.joinerSecret.fill(0);
  secrets.pathSecret?.fill(0);
  own.privateKeys.initPrivateKey.fill(0);
  return {
    groupContext: info.groupContext,
    ratchetTree: tree,
    privatePath,
    signaturePrivateKey: own.privateKeys.signaturePrivateKey,
    confirmationTag: info.confirmationTag,
    unappliedProposals: {},
    keySchedule,
    secretTree,
    historicalReceiverData: new Map(),
    groupActiveState: { kind: "active" },
    clientConfig: joining.config,
  };
}

/** The secrets that a welcome has for the device. */
async function secretsOf(
  welcome: Welcome,
  { own, linkSecret }: Joining,
  suite: CiphersuiteImpl,
): Promise<GroupSecrets> {
  const reference = await makeKeyPackageRef(own.keyPackage, suite.hash);
  if (!welcome.secrets.some(({ newMember }) => sameBytes(newMember, reference))) {
    throw new Refusal("invalid", "The welcome is for another key package.");
  }
  const initKey = await suite.hpke.importPrivateKey(own.privateKeys.initPrivateKey);
  const secrets = await decryptGroupSecrets(initKey, reference, welcome, suite.hpke);
  if (!secrets) throw new Refusal("invalid", "The welcome's secrets cannot be read.");
  if (!isLinkSecretUsed(secrets.psks, linkSecret)) {
    throw new Refusal("link_secret", "The group has another link secret, or one of us has none.");
  }
  return secrets;
}

/** What the link secret adds to the group's keys. */
async function pskSecretOf(
  { psks }: GroupSecrets,
  linkSecret: Uint8Array | null,
  suite: CiphersuiteImpl,
): Promise<Uint8Array> {
  const zeroes = new Uint8Array(suite.kdf.size);
  const [secret] = await accumulatePskSecret(psks, linkPskIndex(linkSecret), suite, zeroes);
  return secret;
}

/** What a welcome says of its group. Nothing of it is checked yet. */
async function infoOf(
  welcome: Welcome,
  joinerSecret: Uint8Array,
  pskSecret: Uint8Array,
  linkSecret: Uint8Array | null,
  suite: CiphersuiteImpl,
): Promise<GroupInfo> {
  const info = await decryptGroupInfo(welcome, joinerSecret, pskSecret, suite).catch(
    (error: unknown) => {
      // With a link secret, a wrong one is the likely cause.
      throw new Refusal(
        linkSecret ? "link_secret" : "invalid",
        "The welcome cannot be opened.",
        error,
      );
    },
  );
  if (!info) throw new Refusal("invalid", "The welcome's group cannot be read.");
  return info;
}

/** Throws unless the group is the expected one, and one of its members signed its description. */
async function checkInfo(
  { groupId, membership }: Joining,
  info: GroupInfo,
  tree: RatchetTree,
  suite: CiphersuiteImpl,
): Promise<void> {
  const { groupContext: context, signer } = info;
  if (context.version !== "mls10" || context.cipherSuite !== suiteName) {
    throw new Refusal("invalid", "The group uses another cipher suite.");
  }
  if (!sameBytes(context.groupId, groupId)) throw new Refusal("invalid", "Another group.");
  if (context.extensions.length > 0) {
    throw new Refusal("invalid", "The group has extensions, which no device of ours sets.");
  }
  const node = tree[leafToNodeIndex(toLeafIndex(signer))];
  if (node?.nodeType !== "leaf") throw new Refusal("invalid", "No member signed the welcome.");
  if (!(await verifyGroupInfoSignature(info, node.leaf.signaturePublicKey, suite.signature))) {
    throw new Refusal("invalid", "The welcome's signature is wrong.");
  }
  await checkTree(tree, context, membership, suite);
}

/** The private keys of the device's leaf, and of the nodes above it that `pathSecret` opens. */
async function privatePathOf(
  tree: RatchetTree,
  leafIndex: number,
  signer: number,
  pathSecret: Uint8Array | undefined,
  own: OwnKeyPackage,
  suite: CiphersuiteImpl,
): Promise<PrivateKeyPath> {
  const leaf = toLeafIndex(leafIndex);
  const ownKeys = { [leafToNodeIndex(leaf)]: own.privateKeys.hpkePrivateKey.slice() };
  const alone = { leafIndex, privateKeys: ownKeys };
  if (!pathSecret) return alone;
  const ancestor = firstCommonAncestor(tree, leaf, toLeafIndex(signer));
  const secrets = await pathToRoot(tree, ancestor, pathSecret, suite.kdf);
  return mergePrivateKeyPaths(await toPrivateKeyPath(secrets, leaf, suite), alone);
}
