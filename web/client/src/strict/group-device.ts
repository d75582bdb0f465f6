import type { Clock } from "../clock.js";
import { toBase64Url } from "../recording/base64url.js";
import { isTemporary, ServiceError } from "../service-error.js";
import { bytesOf } from "./bytes.js";
import type { EpochKeys } from "./epoch-keys.js";
import {
  type AnnounceReason,
  type Change,
  checksTake,
  lostAfter,
  type View,
} from "./group-moves.js";
import type {
  GroupDelivery,
  GroupMessage,
  GroupMessages,
  GroupPart,
  GroupRefusal,
  NewCommit,
} from "./group-protocol.js";
import { type GroupState, type GroupTrouble, leavesOf, sendersOf, stateOf } from "./group-state.js";
import type { StatementMembership } from "./membership.js";
import { MlsGroup, type PendingCommit } from "./mls-group.js";
import { eraseKeyPackage, newKeyPackage, type OwnKeyPackage, Refusal } from "./mls-suite.js";
import { NewestMessage } from "./newest-message.js";
import { newCommitOf, type OfferBook } from "./offer-book.js";
import { OwnStatement, type OwnStatementOptions } from "./own-statement.js";
import type { Patience } from "./patience.js";
import { isRefused } from "./refused.js";
import { isOffered, saidOf } from "./said-commit.js";

export interface GroupDeviceOptions extends OwnStatementOptions {
  readonly delivery: GroupDelivery;
  readonly clock: Clock;
  readonly keys: EpochKeys;
  readonly patience: Patience;
  readonly offers: OfferBook;
  readonly onState: (state: GroupState | null) => void;
  readonly onTrouble: (trouble: GroupTrouble) => void;
}

const groupIdLength = 16;
const lostDetail = "The service has lost a change of the group.";
/** How long a commit waits for its answer once the stream shows another epoch, in milliseconds. */
const overtakenAfter = 500;

/** One device in one group: its keys and secrets there, and its moves, one at a time. */
export class GroupDevice {
  readonly #options: GroupDeviceOptions;
  readonly #own: OwnStatement;
  #keyPackage: OwnKeyPackage | null = null;
  #group: MlsGroup | null = null;
  /** base64url. */
  #groupId = "";
  #seq = 0;
  readonly #newest: NewestMessage;
  #fetched = 0;
  #candidate: MlsGroup | null = null;
  #barredFrom: string | null = null;
  /** The refusal that this device has yet to send to the service. */
  #refusal: GroupRefusal | null = null;
  #isBehind = false;
  #unanswered: NewCommit | null = null;
  #overtake: (() => void) | null = null;
  #isClosed = false;

  constructor(options: GroupDeviceOptions) {
    this.#options = options;
    this.#own = new OwnStatement(options);
    this.#newest = new NewestMessage(options.delivery);
  }

  get group(): MlsGroup | null {
    return this.#group;
  }

  get membership(): StatementMembership | null {
    return this.#own.known?.membership ?? null;
  }

  /** The state that decisions depend on. */
  get view(): Omit<View, "me" | "place" | "part" | "offers"> {
    const group = this.#group && {
      id: this.#groupId,
      epoch: this.#group.epoch,
      seq: this.#seq,
      leaves: leavesOf(this.#group, this.membership),
    };
    return {
      group,
      serviceKey: this.#own.known?.serviceKey ?? null,
      hasKeyPackage: this.#keyPackage !== null,
      candidate: this.#candidate && toBase64Url(this.#candidate.id),
      barredFrom: this.#barredFrom,
      fetched: this.#fetched,
      isBehind: this.#isBehind,
      isDoubtful: this.#newest.isDoubtful,
      isRefusing: this.#refusal !== null,
      isUnanswered: this.#unanswered !== null,
    };
  }

  /** Gives up the group, if there is one, and announces this device again by a new key package. */
  async announce(reason: AnnounceReason): Promise<void> {
    const { delivery, signatureKeys, patience } = this.#options;
    if (reason === "lost" || reason === "not_added") {
      this.#trouble(reason, "This device joins again.");
    }
    if (reason === "outdated") {
      this.#own.forget();
      patience.rejoins();
    }
    this.#drop();
    const { statement } = await this.#own.current();
    const keyPackage = await newKeyPackage(statement, signatureKeys);
    await delivery.sendKeyPackage(toBase64Url(keyPackage.bytes));
    this.#keyPackage = keyPackage;
    patience.worked();
  }

  async create(): Promise<void> {
    const { delivery, patience } = this.#options;
    const [own, identity] = [this.#keyPackage, this.#own.known];
    if (!own || !identity) return;
    this.#candidate ??= await MlsGroup.create(
      crypto.getRandomValues(new Uint8Array(groupIdLength)),
      own,
      identity.rules,
    );
    try {
      const { seq } = await delivery.create(toBase64Url(this.#candidate.id));
      await this.adopt(seq);
    } catch (error) {
      // It is the turn of others, or most people refuse the messages of this device.
      if (isRefused(error, "not_in_group")) patience.comesLater();
      // The place has a group, made by another device or by this one: the stream shows which.
      else if (isRefused(error, "group_exists")) patience.failed();
      else throw error;
    }
  }

  /** Joins the group that this device created, once it is the group of the place. */
  async adopt(seq: number): Promise<void> {
    const candidate = this.#candidate;
    if (!candidate) return;
    this.#candidate = null;
    await this.#join(candidate, seq);
  }

  /** Reads the messages for this device, which has waited for them for `waited` milliseconds. */
  async fetch(part: GroupPart | null, waited: number): Promise<void> {
    const { patience } = this.#options;
    const groupId = this.#group ? this.#groupId : part?.group_id;
    if (!groupId) return;
    const [before, epoch] = [this.#group, this.#group?.epoch];
    let after = this.#group ? this.#seq : 0;
    for (;;) {
      const { data, has_more } = await this.#messages(groupId, after);
      for (const message of data) {
        if (this.#isClosed) return;
        after = Math.max(after, message.seq);
        if (!(await this.#take(groupId, message))) return;
      }
      if (!has_more || data.length === 0) break;
    }
    if (this.#group) this.#seq = Math.max(this.#seq, after);
    else this.#fetched = Math.max(part?.seq ?? 0, after);
    const getsOn = this.#group !== before || this.#group?.epoch !== epoch;
    if (getsOn) {
      this.#isBehind = false;
      patience.worked();
    } else if (this.#group && waited >= lostAfter) {
      this.#rejoin("lost", "The group went on without this device.");
    } else if (this.#group) {
      patience.failed();
    }
  }

  async commit(change: Change): Promise<void> {
    const { offers, patience } = this.#options;
    const group = this.#group;
    if (!group) return;
    const removes = change.removes.map(({ index }) => index);
    let made: PendingCommit;
    try {
      made = await group.commit(offers.of(change), removes);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#trouble("refused", error.message);
      offers.refuse(change);
      patience.failed();
      return;
    }
    this.#unanswered = await newCommitOf(this.#groupId, made, change);
    await this.send();
  }

  /** The service may have lost what brought this device into its epoch. */
  doubt(): void {
    this.#newest.doubt();
  }

  /** Asks whether the service still has what brought this device into its epoch. */
  async check(): Promise<boolean> {
    this.doubt();
    const [group, isKept] = [this.#group, await this.#newest.isKept(this.#groupId)];
    if (this.#group === group && !isKept) this.#rejoin("lost", lostDetail);
    return isKept;
  }

  /** Tells the service that this device cannot be in the group. The service ends its membership. */
  async refuse(part: GroupPart | null): Promise<void> {
    const { delivery } = this.#options;
    const groupId = part?.group_id;
    const refusal = this.#refusal ?? (groupId ? { group_id: groupId, seq: 0 } : null);
    if (!this.#refusal) this.#trouble("not_added", "Nobody adds this device.");
    try {
      if (refusal) await delivery.refuse(refusal);
    } catch (error) {
      // The group is over, or the service has never known of this device in it.
      if (!isRefused(error, "not_found")) throw error;
    }
    this.#refusal = null;
    this.#forgetOffers();
  }

  /** Sends the commit, the first time or again. */
  async send(): Promise<void> {
    const { delivery, clock, patience } = this.#options;
    const [group, commit] = [this.#group, this.#unanswered];
    if (!group || !commit) return;
    const overtaken = new AbortController();
    let cancel: (() => void) | null = null;
    this.#overtake = () => {
      cancel ??= clock.after(overtakenAfter, () => overtaken.abort());
    };
    try {
      const { seq } = await delivery.commit(commit, overtaken.signal);
      if (this.#group !== group) return;
      group.apply();
      this.#takes(seq, commit.commit);
      patience.worked();
      await this.#entered();
    } catch (error) {
      // Another commit was first, or this one was and its answer was lost: the messages show which.
      this.#isBehind = isRefused(error, "epoch_taken") || overtaken.signal.aborted;
      if (this.#isBehind) return;
      if (error instanceof ServiceError && !isTemporary(error)) {
        group.discard();
        this.#unanswered = null;
      }
      throw error;
    } finally {
      (cancel as (() => void) | null)?.();
      this.#overtake = null;
    }
  }

  /** The stream shows another epoch: a commit under way soon stops waiting for its answer. */
  overtake(): void {
    this.#overtake?.();
  }

  /** Leaves, and erases every secret. */
  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  async #messages(groupId: string, after: number): Promise<GroupMessages> {
    try {
      return await this.#options.delivery.messages(groupId, after);
    } catch (error) {
      if (!isRefused(error, "not_found")) throw error;
      this.#drop();
      return { data: [], has_more: false };
    }
  }

  /** Takes one message. False when the device has to join again. */
  async #take(groupId: string, taken: GroupMessage): Promise<boolean> {
    const { kind, message, epoch, seq } = taken;
    const group = this.#group;
    if (!group) return kind === "welcome" ? this.#accept(groupId, taken) : true;
    if (kind !== "commit" || epoch !== group.epoch) return true;
    try {
      const isOwn = message === this.#unanswered?.commit;
      if (isOwn) group.apply();
      else if (!(await group.process(bytesOf(message) ?? new Uint8Array(), saidOf(taken)))) {
        // A device that the service takes for gone cannot read the commit that removes it.
        throw new Refusal("invalid", "The commit removes this device, which is here.");
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // Nobody is to blame when the service took this commit after it had lost another.
      if (await this.#newest.isKept(groupId)) this.#refuse(groupId, seq, error);
      else this.#rejoin("lost", lostDetail, checksTake(group.leaves.length));
      return false;
    }
    this.#takes(seq, message);
    await this.#entered();
    return true;
  }

  async #accept(groupId: string, taken: GroupMessage): Promise<boolean> {
    const { message, seq } = taken;
    const [own, identity] = [this.#keyPackage, this.#own.known];
    const [id, welcome] = [bytesOf(groupId), bytesOf(message)];
    if (!own || !identity || !id || !welcome) return true;
    const said = saidOf(taken);
    if (said && !(await isOffered(own.bytes, this.#options.me, said))) {
      this.#rejoin("lost", "The service had an earlier key package of this device.");
      return false;
    }
    try {
      await this.#join(await MlsGroup.join(id, welcome, own, identity.rules, said), seq, message);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.reason === "link_secret") {
        // To ask again would disturb the others and change nothing.
        this.#barredFrom = groupId;
        this.#refusal = { group_id: groupId, seq: 0 };
        this.#trouble("link_secret", error.message);
        return false;
      }
      this.#refuse(groupId, seq, error);
      return false;
    }
  }

  async #join(group: MlsGroup, seq: number, welcome: string | null = null): Promise<void> {
    if (this.#isClosed) return group.close();
    this.#forgetOffers();
    this.#group = group;
    this.#groupId = toBase64Url(group.id);
    this.#seq = seq;
    if (welcome !== null) this.#takes(seq, welcome);
    this.#isBehind = false;
    this.#barredFrom = null;
    this.#options.patience.worked();
    await this.#entered();
  }

  #takes(seq: number, message: string): void {
    this.#seq = seq;
    this.#newest.set({ seq, message });
  }

  /** Makes the keys of the group's new epoch, and reports its members. */
  async #entered(): Promise<void> {
    const { me, keys, onState } = this.#options;
    const [group, membership] = [this.#group, this.membership];
    if (!group || !membership) return;
    this.#unanswered = null;
    const senders = await sendersOf(group, membership);
    const state = await stateOf(this.#groupId, group, membership);
    if (this.#isClosed) return;
    keys.enter(this.#groupId, group.epoch, senders, me);
    onState(state);
  }

  /** Refuses the group because of a message that this device cannot accept. */
  #refuse(groupId: string, seq: number, { message }: Refusal): void {
    this.#refusal = { group_id: groupId, seq };
    this.#rejoin("refused", message);
  }

  /** Gives up this group. The next move announces this device again. */
  #rejoin(reason: GroupTrouble["reason"], detail: string, over = 0): void {
    this.#trouble(reason, detail);
    this.#drop();
    this.#options.patience.rejoins(over);
  }

  /** Forgets the group and its secrets. Nothing is sent until there is another. */
  #drop(): void {
    this.#forgetOffers();
    this.#unanswered = null;
    this.#newest.set(null);
    this.#isBehind = false;
    if (!this.#group) return;
    this.#group.close();
    this.#group = null;
    this.#options.keys.leave();
    this.#options.onState(null);
  }

  /** Erases the key package and the group that this device offered. */
  #forgetOffers(): void {
    this.#candidate?.close();
    this.#candidate = null;
    if (this.#keyPackage) eraseKeyPackage(this.#keyPackage);
    this.#keyPackage = null;
  }

  #trouble(reason: GroupTrouble["reason"], detail: string): void {
    this.#options.onTrouble({ reason, detail });
  }
}
