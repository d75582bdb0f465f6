/**
 * The MLS group (RFC 9420) of one place, made with ts-mls. Only this file, its neighbours mls-*.ts
 * and link-secret.ts use the library.
 */
import type {
  CiphersuiteImpl,
  ClientConfig,
  ClientState,
  IncomingMessageCallback,
  Proposal,
} from "ts-mls";
import { createGroup } from "ts-mls/clientState.js";
import { createCommit } from "ts-mls/createCommit.js";
import { mlsExporter } from "ts-mls/keySchedule.js";
import { encodeMlsMessage } from "ts-mls/message.js";
import { processPrivateMessage } from "ts-mls/processMessages.js";
import { toBase64Url } from "../recording/base64url.js";
import type { SaidCommit } from "./group-protocol.js";
import { linkDigest, linkPskIndex, linkSecretProposal } from "./link-secret.js";
import { type Change, changeOf } from "./mls-change.js";
import { cipherSuite } from "./mls-crypto.js";
import { eraseState, orErase } from "./mls-erase.js";
import { stateFromWelcome } from "./mls-join.js";
import {
  areUsable,
  credentialText,
  type Membership,
  type OfferedKeyPackage,
  type OwnKeyPackage,
  Refusal,
  readMessage,
  sameBytes,
} from "./mls-suite.js";
import { identityProblem, keyProblem, leavesOf, newKeys, type TreeLeaf } from "./mls-tree.js";
import { checkCommit, checkWelcome, type DoneCommit, judgeWelcome } from "./said-commit.js";

const checkLabel = "conclave check v1";
const checkLength = 32;

export interface GroupRules {
  readonly membership: Membership;
  /** The link secret; null when the link has none. */
  readonly linkSecret: Uint8Array | null;
}

/** A commit that this device made. It counts only once the service has taken it. */
export interface PendingCommit {
  /** The epoch in which it was made. */
  readonly epoch: number;
  readonly commit: Uint8Array;
  /** For those it adds; null when it adds nobody. */
  readonly welcome: Uint8Array | null;
  /** The digest of the epoch to which it leads, base64url. */
  readonly check: string;
  /** The digest of the link secret, base64url; null when there is none. */
  readonly link: string | null;
}

interface Next extends PendingCommit {
  readonly state: ClientState;
  readonly consumed: readonly Uint8Array[];
}

/** One device's membership in a group. Only the current epoch's secrets are kept. */
export class MlsGroup {
  readonly #suite: CiphersuiteImpl;
  readonly #rules: GroupRules;
  #state: ClientState;
  #leaves: readonly TreeLeaf[];
  #next: Next | null = null;
  #isClosed = false;

  private constructor(suite: CiphersuiteImpl, rules: GroupRules, state: ClientState) {
    this.#suite = suite;
    this.#rules = rules;
    this.#state = state;
    this.#leaves = leavesOf(state.ratchetTree);
  }

  /** A new group with this device as its only member. */
  static async create(id: Uint8Array, own: OwnKeyPackage, rules: GroupRules): Promise<MlsGroup> {
    const suite = await cipherSuite();
    const { keyPackage } = own;
    const { credential, signaturePublicKey } = keyPackage.leafNode;
    if (!(await configOf(rules).authService.validateCredential(credential, signaturePublicKey))) {
      throw new Refusal("invalid", "This device has no valid statement.");
    }
    // Its own copy of the key: the same key package may bring this device into another group.
    const privateKeys = {
      ...own.privateKeys,
      hpkePrivateKey: own.privateKeys.hpkePrivateKey.slice(),
    };
    const state = await createGroup(id, keyPackage, privateKeys, [], suite, configOf(rules));
    return new MlsGroup(suite, rules, state);
  }

  /**
   * Joins the group with this id by a welcome. Rejects with a Refusal, also when its author did not
   * tell the truth about it; null: nobody told anything.
   */
  static async join(
    id: Uint8Array,
    welcome: Uint8Array,
    own: OwnKeyPackage,
    rules: GroupRules,
    said: SaidCommit | null,
  ): Promise<MlsGroup> {
    const suite = await cipherSuite();
    const config = configOf(rules);
    const link = await linkDigest(rules.linkSecret, id);
    try {
      const state = await orRefuse(() =>
        stateFromWelcome({ ...rules, groupId: id, welcome, own, config }, suite),
      );
      await orErase(state, null, async () => {
        if (said) checkWelcome(said, { check: await checkOf(state, suite), link });
      });
      return new MlsGroup(suite, rules, state);
    } catch (error) {
      if (!said || !(error instanceof Refusal)) throw error;
      throw judgeWelcome(error, said, link);
    }
  }

  get id(): Uint8Array {
    return this.#state.groupContext.groupId;
  }

  get epoch(): number {
    return Number(this.#state.groupContext.epoch);
  }

  /** The members in the order of their leaves. */
  get leaves(): readonly TreeLeaf[] {
    return this.#leaves;
  }

  get ownLeaf(): number {
    return this.#state.privatePath.leafIndex;
  }

  /** A secret that all members of this epoch share and nobody else knows. */
  get authenticator(): Uint8Array {
    return this.#state.keySchedule.epochAuthenticator;
  }

  /** A secret of this epoch for the purpose that label and context name. */
  exportSecret(label: string, context: Uint8Array, length: number): Promise<Uint8Array> {
    return mlsExporter(this.#state.keySchedule.exporterSecret, label, context, length, this.#suite);
  }

  /**
   * Makes one commit that adds and removes these devices, in place of any commit made before.
   * Nothing changes until `apply`.
   */
  async commit(
    adds: readonly OfferedKeyPackage[],
    removes: readonly number[],
  ): Promise<PendingCommit> {
    this.discard();
    const proposals: Proposal[] = [
      ...removes.map((removed) => ({ proposalType: "remove", remove: { removed } }) as const),
      ...adds.map(({ keyPackage }) => ({ proposalType: "add", add: { keyPackage } }) as const),
    ];
    const { linkSecret } = this.#rules;
    if (adds.length > 0 && linkSecret) proposals.push(linkSecretProposal());
    const { newState, commit, welcome, consumed } = await orRefuse(() =>
      createCommit(
        { state: this.#state, cipherSuite: this.#suite, pskIndex: linkPskIndex(linkSecret) },
        { extraProposals: proposals, ratchetTreeExtension: true },
      ),
    );
    const { ratchetTree } = newState;
    const problem = keyProblem(ratchetTree) ?? identityProblem(ratchetTree, this.#rules.membership);
    if (problem) {
      eraseState(newState, this.#state);
      throw new Refusal("invalid", problem);
    }
    const { check, link } = await orErase(newState, this.#state, async () => {
      const said = {
        check: await checkOf(newState, this.#suite),
        link: await linkDigest(linkSecret, this.id),
      };
      if (this.#isClosed) throw new Error("The group was closed meanwhile.");
      return said;
    });
    this.#next = {
      epoch: this.epoch,
      check,
      link,
      commit: encodeMlsMessage(commit),
      welcome: welcome
        ? encodeMlsMessage({ version: "mls10", wireformat: "mls_welcome", welcome })
        : null,
      state: newState,
      consumed,
    };
    return this.#next;
  }

  /** Goes into the epoch of the commit that this device made last. */
  apply(): void {
    const next = this.#next;
    if (!next || next.epoch !== this.epoch) throw new Error("There is no commit to apply.");
    this.#next = null;
    this.#enter(next.state, next.consumed);
  }

  /** Forgets the commit that this device made: another one was taken. */
  discard(): void {
    if (this.#next) eraseState(this.#next.state, this.#state);
    this.#next = null;
  }

  /**
   * Goes into the epoch of somebody else's commit. False when the commit removes this device. Rejects
   * with a Refusal, and then nothing has changed, also when its author did not tell the truth about
   * it; null: nobody told anything.
   */
  async process(bytes: Uint8Array, said: SaidCommit | null): Promise<boolean> {
    const { newState, consumed, change } = await orRefuse(() => this.#read(bytes));
    if (change.removed.includes(this.ownLeaf)) return false;
    await orErase(newState, this.#state, async () => {
      await this.#checkChange(newState, change);
      if (said) checkCommit(said, await this.#done(newState, change));
    });
    this.discard();
    this.#enter(newState, consumed);
    return true;
  }

  /** Erases the secrets. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.discard();
    eraseState(this.#state);
  }

  async #read(bytes: Uint8Array) {
    const message = readMessage(bytes);
    if (message.wireformat !== "mls_private_message") {
      throw new Refusal("invalid", "Not a commit of a member.");
    }
    const { privateMessage } = message;
    if (privateMessage.contentType !== "commit") throw new Refusal("invalid", "Not a commit.");
    if (!sameBytes(privateMessage.groupId, this.id)) throw new Refusal("invalid", "Another group.");
    if (privateMessage.epoch !== this.#state.groupContext.epoch) {
      throw new Refusal("invalid", "A commit of another epoch.");
    }
    const { linkSecret } = this.#rules;
    let change = new Refusal("invalid", "Not a commit.") as Change | Refusal;
    const look: IncomingMessageCallback = (incoming) => {
      change = changeOf(incoming, linkSecret);
      if (change instanceof Refusal) return "reject";
      // The library does not see that this device is removed when its leaf goes to somebody else.
      return change.removed.includes(this.ownLeaf) ? "reject" : "accept";
    };
    const psks = linkPskIndex(linkSecret);
    let isKeyMissing = false;
    const index = {
      findPsk: (id: Parameters<typeof psks.findPsk>[0]) => {
        const found = psks.findPsk(id);
        isKeyMissing ||= found === undefined;
        return found;
      },
    };
    try {
      const result = await processPrivateMessage(
        this.#state,
        privateMessage,
        index,
        this.#suite,
        look,
      );
      if (change instanceof Refusal) throw change;
      if (result.kind !== "newState") throw new Refusal("invalid", "Not a commit.");
      return { newState: result.newState, consumed: result.consumed, change };
    } catch (error) {
      if (isKeyMissing) throw new Refusal("link_secret", "This device has no link secret.", error);
      throw error;
    }
  }

  /** What a commit does, to compare with what its author said. */
  async #done(state: ClientState, { added, removed }: Change): Promise<DoneCommit> {
    const { membership, linkSecret } = this.#rules;
    const identityOf = ({ credential }: { readonly credential: string }) =>
      membership.identityOf(credential) ?? "";
    return {
      check: await checkOf(state, this.#suite),
      link: await linkDigest(linkSecret, this.id),
      adds: added.map(identityOf),
      removes: this.#leaves.filter(({ index }) => removed.includes(index)).map(identityOf),
    };
  }

  /** Throws unless exactly what the proposals say has changed in the tree. */
  async #checkChange(state: ClientState, { added, removed }: Change): Promise<void> {
    const { membership } = this.#rules;
    for (const { credential, signatureKey } of added) {
      if (await membership.mayBeAdded(credential, signatureKey)) continue;
      throw new Refusal("invalid", "Somebody is added without a statement that is still good.");
    }
    const { ratchetTree } = state;
    const problem = keyProblem(ratchetTree) ?? identityProblem(ratchetTree, membership);
    if (problem) throw new Refusal("invalid", problem);
    // With a key that nothing can be encrypted with, no further commit could be made.
    if (!(await areUsable(newKeys(ratchetTree, this.#state.ratchetTree)))) {
      throw new Refusal("invalid", "The commit brings a key that cannot be used.");
    }
    const expected = [...this.#leaves.filter(({ index }) => !removed.includes(index)), ...added];
    const actual = leavesOf(ratchetTree);
    const isExpected = (leaf: TreeLeaf) =>
      expected.some(
        (other) =>
          other.credential === leaf.credential &&
          sameBytes(other.signatureKey, leaf.signatureKey) &&
          (!("index" in other) || other.index === leaf.index),
      );
    if (actual.length !== expected.length || !actual.every(isExpected)) {
      throw new Refusal("invalid", "The commit changes more than it says.");
    }
  }

  #enter(state: ClientState, consumed: readonly Uint8Array[]): void {
    if (this.#isClosed) {
      eraseState(state);
      return;
    }
    const old = this.#state;
    // Told to keep no old epochs, the library keeps all, because it cuts the list by slice(-0).
    this.#state = { ...state, historicalReceiverData: new Map() };
    this.#leaves = leavesOf(state.ratchetTree);
    eraseState(old, state);
    for (const secret of consumed) secret.fill(0);
  }
}

/** A digest of an epoch, base64url. It may be known: nothing else follows from it. */
async function checkOf({ keySchedule }: ClientState, suite: CiphersuiteImpl): Promise<string> {
  const { exporterSecret } = keySchedule;
  const nothing = new Uint8Array();
  return toBase64Url(await mlsExporter(exporterSecret, checkLabel, nothing, checkLength, suite));
}

function configOf({ membership }: GroupRules): ClientConfig {
  return {
    keyRetentionConfig: {
      retainKeysForEpochs: 0,
      retainKeysForGenerations: 0,
      maximumForwardRatchetSteps: 8,
    },
    lifetimeConfig: { maximumTotalLifetime: 0n, validateLifetimeOnReceive: false },
    keyPackageEqualityConfig: {
      compareKeyPackages: (a, b) =>
        sameBytes(a.leafNode.signaturePublicKey, b.leafNode.signaturePublicKey),
      compareKeyPackageToLeafNode: (a, b) =>
        sameBytes(a.leafNode.signaturePublicKey, b.signaturePublicKey),
    },
    // Messages need no padding: their size tells how many devices come and go, which the service
    // knows anyway.
    paddingConfig: { kind: "alwaysPad", paddingLength: 0 },
    authService: {
      validateCredential: async (credential, signatureKey) => {
        const text = credentialText(credential);
        return text !== null && membership.isGenuine(text, signatureKey);
      },
    },
  };
}

/** Turns whatever the library throws at a message that it does not accept into a Refusal. */
async function orRefuse<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal("invalid", error instanceof Error ? error.message : String(error), error);
  }
}
