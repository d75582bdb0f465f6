import { type Clock, pause } from "../clock.js";
import { fromBase64Url, toBase64Url } from "../recording/base64url.js";
import { isTemporary, ServiceError } from "../service.js";
import type { Role } from "../wire.js";
import { EpochKeys, type EpochKeysEvents, type SenderKeys } from "./epoch-keys.js";
import {
  type AnnounceReason,
  type Change,
  lostAfter,
  type MemberLeaf,
  type Move,
  planFor,
  type Situation,
  situationKey,
  situationOf,
  type View,
} from "./group-moves.js";
import type {
  EpochAcknowledgement,
  GroupDelivery,
  GroupMessage,
  GroupPart,
  NewCommit,
} from "./group-protocol.js";
import { StatementMembership } from "./membership.js";
import { type GroupRules, MlsGroup } from "./mls-group.js";
import {
  eraseKeyPackage,
  newKeyPackage,
  type OfferedKeyPackage,
  type OwnKeyPackage,
  Refusal,
  readKeyPackage,
  type SignatureKeys,
} from "./mls-suite.js";
import { isCurrent, StatementVerifier } from "./statement.js";
import { deviceFingerprint, type VerificationCode, verificationCode } from "./verification.js";

/** A device in the group, as its statement names it. */
export interface GroupMember {
  readonly identity: string;
  readonly name: string;
  readonly role: Role;
  readonly fingerprint: readonly string[];
}

/** The group in one epoch. */
export interface GroupState {
  readonly groupId: string;
  readonly epoch: number;
  readonly members: readonly GroupMember[];
  readonly code: VerificationCode;
}

/**
 * What keeps this device from its group. `refused`: it was sent something that it does not accept.
 * `link_secret`: the link of this device has another link secret than the group, or none. `lost`: it
 * could not follow the group. `not_added`: nobody adds it. `statement`: the service gave a statement
 * that is not valid. `service`: the service refuses a request. `over`: the seat is over.
 */
export interface GroupTrouble {
  readonly reason:
    | "refused"
    | "link_secret"
    | "lost"
    | "not_added"
    | "statement"
    | "service"
    | "over";
  readonly detail: string;
}

export interface GroupSessionEvents extends EpochKeysEvents {
  /** The group is in another epoch; null: this device is in no group. */
  readonly onState: (state: GroupState | null) => void;
  readonly onTrouble: (trouble: GroupTrouble) => void;
}

export interface GroupSessionOptions {
  readonly delivery: GroupDelivery;
  readonly clock: Clock;
  /** The service's clock, which says until when its statements are good. */
  readonly serviceNow: () => number;
  /** The identity of this device. */
  readonly me: string;
  readonly room: string;
  /** A breakout room's id; null: the main room. */
  readonly place: string | null;
  readonly signatureKeys: SignatureKeys;
  /** The link secret; null when the link has none. */
  readonly linkSecret: Uint8Array | null;
  readonly events: GroupSessionEvents;
}

const keyLength = 32;
const groupIdLength = 16;
const mediaLabel = "conclave media v1";
const dataLabel = "conclave data v1";
/** Without anything to do it looks around this often. */
const idleTime = 60_000;
const longestPause = 10_000;
/** A statement that is good for less than this is replaced before it is used. */
const statementReserve = 3_600_000;
/** A device that cannot follow the group for so long sends nothing any more. */
const holdAfter = 1000;
/** In the same group for so long: what went wrong before is over. */
const calmAfter = 15_000;

const encoder = new TextEncoder();

interface Identity {
  readonly statement: string;
  readonly membership: StatementMembership;
  readonly rules: GroupRules;
}

/** The group of one place, from announcing this device to leaving. One thing happens at a time. */
export class GroupSession {
  readonly #options: GroupSessionOptions;
  readonly #keys: EpochKeys;
  #part: GroupPart | null = null;
  #identity: Identity | null = null;
  #keyPackage: OwnKeyPackage | null = null;
  #group: MlsGroup | null = null;
  /** base64url. */
  #groupId = "";
  #seq = 0;
  #fetched = 0;
  #candidate: MlsGroup | null = null;
  #barredFrom: string | null = null;
  #isBehind = false;
  #unanswered: NewCommit | null = null;
  readonly #offers = new Map<string, OfferedKeyPackage | null>();
  #situationKey = "";
  #since = 0;
  #failures = 0;
  #retryAt = 0;
  #rejoins = 0;
  /** Not before then this device announces itself again, whatever the stream says. */
  #rejoinAt = 0;
  #joinedAt = 0;
  #cancelHold: (() => void) | null = null;
  #wake = new AbortController();
  #isClosed = false;
  #isBusy = true;

  constructor(options: GroupSessionOptions) {
    this.#options = options;
    this.#keys = new EpochKeys(options.clock, options.events);
    void this.#run();
  }

  /** Whether the device is doing something, rather than waiting for a time or for news. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** The part `group` of the event stream; null when there is none. */
  update(part: GroupPart | null): void {
    const hasChanged = JSON.stringify(part) !== JSON.stringify(this.#part);
    this.#part = part;
    // The service is there: what failed a moment ago may go through.
    if (hasChanged) this.hurry();
  }

  /** Another device can open what is sent in this epoch. */
  acknowledged(identity: string, acknowledgement: EpochAcknowledgement): void {
    this.#keys.acknowledged(identity, acknowledgement);
  }

  /** Tries again now, if it waits: the network is said to be back. */
  hurry(): void {
    this.#retryAt = 0;
    this.#wakeUp();
  }

  /** Leaves, and erases every secret. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#dropGroup();
    this.#candidate?.close();
    this.#keys.close();
    this.#wakeUp();
  }

  #wakeUp(): void {
    this.#isBusy = true;
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#isClosed) {
      if (this.#wake.signal.aborted) this.#wake = new AbortController();
      await this.#readOffers();
      if (this.#isClosed) break;
      const situation = this.#look();
      const { move, after } = planFor(situation);
      const earliest = move.kind === "announce" ? this.#rejoinAt : 0;
      const due = Math.max(this.#since + after, this.#retryAt, earliest);
      const now = clock.now();
      if (move.kind === "wait" || due > now) {
        this.#isBusy = this.#wake.signal.aborted;
        await pause(clock, Math.min(due - now, idleTime), this.#wake.signal);
        this.#isBusy = true;
        continue;
      }
      try {
        await this.#make(move);
      } catch (error) {
        this.#failed(error);
      }
    }
    this.#isBusy = false;
  }

  #look(): Situation {
    const view = this.#view();
    const situation = situationOf(view);
    const key = situationKey(situation, view);
    if (key !== this.#situationKey) {
      this.#situationKey = key;
      this.#since = this.#options.clock.now();
    }
    // Whoever was removed may know the keys of the epoch that this device is still in.
    if (situation.kind === "behind" || situation.kind === "replaced") {
      this.#holdSoon();
    } else {
      this.#stopHold();
      this.#keys.resume();
    }
    return situation;
  }

  #view(): View {
    const { me, place } = this.#options;
    const group = this.#group && {
      id: this.#groupId,
      epoch: this.#group.epoch,
      seq: this.#seq,
      leaves: this.#memberLeaves(),
    };
    const offers = new Map<string, { signatureKey: string }>();
    for (const [text, offer] of this.#offers) {
      if (offer) offers.set(text, { signatureKey: toBase64Url(offer.signatureKey) });
    }
    return {
      me,
      place,
      part: this.#part,
      group,
      hasKeyPackage: this.#keyPackage !== null,
      candidate: this.#candidate && toBase64Url(this.#candidate.id),
      barredFrom: this.#barredFrom,
      fetched: this.#fetched,
      isBehind: this.#isBehind,
      isUnanswered: this.#unanswered !== null,
      offers,
    };
  }

  #memberLeaves(): readonly MemberLeaf[] {
    const membership = this.#identity?.membership;
    return (this.#group?.leaves ?? []).map(({ index, credential, signatureKey }) => ({
      index,
      identity: membership?.identityOf(credential) ?? "",
      signatureKey: toBase64Url(signatureKey),
    }));
  }

  /** Checks the key packages of those who wait; each is checked once. */
  async #readOffers(): Promise<void> {
    const membership = this.#identity?.membership;
    const waiting = (this.#group && this.#part?.waiting) || [];
    const texts = new Set(waiting.map(({ key_package }) => key_package));
    for (const text of this.#offers.keys()) if (!texts.has(text)) this.#offers.delete(text);
    if (!membership) return;
    for (const { identity, key_package } of waiting) {
      if (this.#offers.has(key_package)) continue;
      const bytes = bytesOf(key_package);
      const offer = bytes && (await readKeyPackage(bytes, membership));
      const isTheirs = offer && membership.identityOf(offer.credential) === identity;
      this.#offers.set(key_package, isTheirs ? offer : null);
    }
  }

  #make(move: Move): Promise<void> {
    switch (move.kind) {
      case "announce":
        return this.#announce(move.reason);
      case "create":
        return this.#create();
      case "adopt":
        return this.#adopt(this.#part?.seq ?? 0);
      case "fetch":
        return this.#fetch();
      case "commit":
        return this.#commit(move.change);
      case "send":
        return this.#send();
      case "wait":
        return Promise.resolve();
    }
  }

  /** Gives up what group there was, and lets the service know by a new key package. */
  async #announce(reason: AnnounceReason): Promise<void> {
    const { delivery, signatureKeys, clock } = this.#options;
    if (reason === "lost" || reason === "not_added") {
      this.#trouble(reason, "This device joins anew.");
    }
    this.#dropGroup();
    const { statement } = await this.#ownIdentity();
    const keyPackage = await newKeyPackage(statement, signatureKeys);
    await delivery.sendKeyPackage(toBase64Url(keyPackage.bytes));
    this.#keyPackage = keyPackage;
    this.#since = clock.now();
    this.#failures = 0;
  }

  /** The statement of this device, as long as it is good for a while; else a new one. */
  async #ownIdentity(): Promise<Identity> {
    const { delivery, signatureKeys, linkSecret, me, room, place, serviceNow } = this.#options;
    const key = signatureKeys.publicKey;
    const known = this.#identity;
    const statementOf = known?.membership.statementOf(known.statement);
    if (known && statementOf && isCurrent(statementOf, serviceNow() + statementReserve))
      return known;
    const answer = await delivery.statement(toBase64Url(key));
    const verifier = StatementVerifier.of(answer.service_key);
    const own = await verifier.read(answer.statement, key);
    if (!own || own.identity !== me || own.room !== room || own.place !== place) {
      throw new StatementInvalid("The service's statement is not about this device.");
    }
    const scope = { room, place, meeting: own.meeting };
    const membership = new StatementMembership(verifier, scope, serviceNow);
    await membership.isGenuine(answer.statement, key);
    this.#offers.clear();
    this.#identity = {
      statement: answer.statement,
      membership,
      rules: { membership, linkSecret },
    };
    return this.#identity;
  }

  async #create(): Promise<void> {
    const { delivery } = this.#options;
    const [own, identity] = [this.#keyPackage, this.#identity];
    if (!own || !identity) return;
    this.#candidate ??= await MlsGroup.create(
      crypto.getRandomValues(new Uint8Array(groupIdLength)),
      own,
      identity.rules,
    );
    try {
      const { seq } = await delivery.create(toBase64Url(this.#candidate.id));
      await this.#adopt(seq);
    } catch (error) {
      // Somebody else's group was first, or this one's: the stream tells which.
      if (!isRefused(error, "group_exists")) throw error;
      this.#pauseAfterFailure();
    }
  }

  /** The group that this device created is the place's. */
  async #adopt(seq: number): Promise<void> {
    const candidate = this.#candidate;
    if (!candidate) return;
    this.#candidate = null;
    await this.#join(candidate, seq);
  }

  async #join(group: MlsGroup, seq: number): Promise<void> {
    this.#candidate?.close();
    this.#candidate = null;
    this.#group = group;
    this.#groupId = toBase64Url(group.id);
    this.#seq = seq;
    if (this.#keyPackage) eraseKeyPackage(this.#keyPackage);
    this.#keyPackage = null;
    this.#isBehind = false;
    this.#barredFrom = null;
    this.#joinedAt = this.#options.clock.now();
    this.#failures = 0;
    await this.#entered();
  }

  /** Reads what the service has for this device, until there is no more. */
  async #fetch(): Promise<void> {
    const { delivery } = this.#options;
    const groupId = this.#group ? this.#groupId : this.#part?.group_id;
    if (!groupId) return;
    const [before, epoch] = [this.#group, this.#group?.epoch];
    let after = this.#group ? this.#seq : 0;
    for (;;) {
      const { data, has_more } = await this.#messages(delivery, groupId, after);
      for (const message of data) {
        if (this.#isClosed) return;
        after = Math.max(after, message.seq);
        if (!(await this.#take(groupId, message))) return;
      }
      if (!has_more || data.length === 0) break;
    }
    if (this.#group) this.#seq = Math.max(this.#seq, after);
    else this.#fetched = Math.max(this.#part?.seq ?? 0, after);
    const getsOn = this.#group !== before || this.#group?.epoch !== epoch;
    if (getsOn) {
      this.#isBehind = false;
      this.#failures = 0;
      return;
    }
    const isTooLate = this.#group && this.#options.clock.now() - this.#since >= lostAfter;
    if (isTooLate) this.#rejoin("lost", "The group went on without this device.");
    else if (this.#group) this.#pauseAfterFailure();
  }

  async #messages(delivery: GroupDelivery, groupId: string, after: number) {
    try {
      return await delivery.messages(groupId, after);
    } catch (error) {
      if (isRefused(error, "not_found")) {
        this.#dropGroup();
        return { data: [], has_more: false };
      }
      // The time without the service does not count as time in which the group left us behind.
      this.#since = this.#options.clock.now();
      throw error;
    }
  }

  /** Takes one message. False when the device has to join anew. */
  async #take(groupId: string, { kind, message, epoch, seq }: GroupMessage): Promise<boolean> {
    const group = this.#group;
    if (!group) return kind === "welcome" ? this.#accept(groupId, message, seq) : true;
    if (kind !== "commit" || epoch !== group.epoch) return true;
    try {
      const isOwn = message === this.#unanswered?.commit;
      if (isOwn) group.apply();
      else if (!(await group.process(bytesOf(message) ?? new Uint8Array()))) {
        this.#rejoin(null, "This device was removed.");
        return false;
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#rejoin("refused", error.message);
      return false;
    }
    this.#seq = seq;
    await this.#entered();
    return true;
  }

  async #accept(groupId: string, message: string, seq: number): Promise<boolean> {
    const [own, identity] = [this.#keyPackage, this.#identity];
    const [id, welcome] = [bytesOf(groupId), bytesOf(message)];
    if (!own || !identity || !id || !welcome) return true;
    try {
      await this.#join(await MlsGroup.join(id, welcome, own, identity.rules), seq);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.reason === "not_for_us") return true;
      if (error.reason === "link_secret") {
        // To ask again would disturb the others and change nothing.
        this.#barredFrom = groupId;
        this.#trouble("link_secret", error.message);
        return true;
      }
      this.#rejoin("refused", error.message);
      return false;
    }
  }

  async #commit(change: Change): Promise<void> {
    const group = this.#group;
    if (!group) return;
    const offers = change.adds.flatMap(({ keyPackage }) => this.#offers.get(keyPackage) ?? []);
    const removes = change.removes.map(({ index }) => index);
    let made: Awaited<ReturnType<MlsGroup["commit"]>>;
    try {
      made = await group.commit(offers, removes);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#trouble("refused", error.message);
      // One of those who wait cannot be added, although each looked valid alone.
      for (const { keyPackage } of change.adds) this.#offers.set(keyPackage, null);
      this.#pauseAfterFailure();
      return;
    }
    this.#unanswered = {
      group_id: this.#groupId,
      epoch: made.epoch,
      commit: toBase64Url(made.commit),
      welcome: made.welcome && toBase64Url(made.welcome),
      adds: await Promise.all(
        change.adds.map(async ({ identity, keyPackage }) => ({
          identity,
          key_package: await textDigest(keyPackage),
        })),
      ),
      removes: change.removes.map(({ identity }) => identity),
    };
    await this.#send();
  }

  /** Sends the commit, the first time or again. */
  async #send(): Promise<void> {
    const { delivery } = this.#options;
    const [group, commit] = [this.#group, this.#unanswered];
    if (!group || !commit) return;
    try {
      const { seq } = await delivery.commit(commit);
      if (this.#group !== group || this.#unanswered !== commit) return;
      group.apply();
      this.#seq = seq;
      this.#failures = 0;
      await this.#entered();
    } catch (error) {
      if (isRefused(error, "epoch_taken")) {
        // Somebody was first; or this one was, and its answer was lost. The messages tell.
        this.#isBehind = true;
        if (this.#failures > 0) this.#pauseAfterFailure();
        this.#failures += 1;
        return;
      }
      if (error instanceof ServiceError && !isTemporary(error)) {
        group.discard();
        this.#unanswered = null;
      }
      throw error;
    }
  }

  /** The group is in a new epoch: makes its keys, and tells who is in it. */
  async #entered(): Promise<void> {
    const { events, me } = this.#options;
    const [group, membership] = [this.#group, this.#identity?.membership];
    if (!group || !membership) return;
    this.#unanswered = null;
    const senders = await Promise.all(
      group.leaves.map(({ credential }) => keysOf(group, membership.identityOf(credential) ?? "")),
    );
    const members = await Promise.all(
      group.leaves.map(async ({ credential, signatureKey }): Promise<GroupMember> => {
        const statement = membership.statementOf(credential);
        const { identity = "", name = "", role = "participant" } = statement ?? {};
        const fingerprint = await deviceFingerprint(identity, signatureKey);
        return { identity, name, role, fingerprint };
      }),
    );
    const code = await verificationCode(group.authenticator);
    if (this.#isClosed) return;
    this.#keys.enter(this.#groupId, group.epoch, senders, me);
    events.onState({ groupId: this.#groupId, epoch: group.epoch, members, code });
  }

  /** Cannot go on in this group: announces itself anew, each time after a longer pause. */
  #rejoin(reason: GroupTrouble["reason"] | null, detail: string): void {
    const { clock } = this.#options;
    if (reason) this.#trouble(reason, detail);
    this.#rejoins = clock.now() - this.#joinedAt > calmAfter ? 0 : this.#rejoins + 1;
    this.#dropGroup();
    const wait = this.#rejoins === 0 ? 0 : 500 * 2 ** this.#rejoins;
    this.#rejoinAt = clock.now() + this.#spread(wait);
  }

  /** Forgets the group and its secrets. Nothing is sent until there is another. */
  #dropGroup(): void {
    this.#stopHold();
    if (this.#keyPackage) eraseKeyPackage(this.#keyPackage);
    this.#keyPackage = null;
    this.#unanswered = null;
    this.#isBehind = false;
    if (!this.#group) return;
    this.#group.close();
    this.#group = null;
    this.#keys.leave();
    this.#options.events.onState(null);
  }

  #holdSoon(): void {
    if (this.#cancelHold || !this.#keys.sending) return;
    this.#cancelHold = this.#options.clock.after(holdAfter, () => {
      this.#cancelHold = null;
      this.#keys.hold();
    });
  }

  #stopHold(): void {
    this.#cancelHold?.();
    this.#cancelHold = null;
  }

  #failed(error: unknown): void {
    if (this.#isClosed) return;
    if (isRefused(error, "ticket_invalid")) {
      this.#trouble("over", "The seat is over.");
      this.close();
      return;
    }
    // On the way to another place the device has nothing to say here.
    if (!isTemporary(error) && !isRefused(error, "place_changed")) {
      const reason = error instanceof StatementInvalid ? "statement" : "service";
      this.#trouble(reason, error instanceof Error ? error.message : String(error));
    }
    this.#pauseAfterFailure();
  }

  #pauseAfterFailure(): void {
    this.#retryAt = this.#options.clock.now() + this.#spread(250 * 2 ** this.#failures);
    this.#failures += 1;
  }

  /** Devices that failed together do not try again together. */
  #spread(milliseconds: number): number {
    return Math.min(milliseconds, longestPause) * (0.5 + this.#options.clock.random());
  }

  #trouble(reason: GroupTrouble["reason"], detail: string): void {
    this.#options.events.onTrouble({ reason, detail });
  }
}

class StatementInvalid extends Error {}

async function keysOf(group: MlsGroup, identity: string): Promise<SenderKeys> {
  const context = encoder.encode(identity);
  const [media, data] = await Promise.all([
    group.exportSecret(mediaLabel, context, keyLength),
    group.exportSecret(dataLabel, context, keyLength),
  ]);
  return { identity, media: new Uint8Array(media), data: new Uint8Array(data) };
}

function isRefused(error: unknown, code: string): boolean {
  return error instanceof ServiceError && error.code === code;
}

/** Null when the text is not base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return fromBase64Url(text);
  } catch {
    return null;
  }
}

async function textDigest(base64: string): Promise<string> {
  const bytes = bytesOf(base64) ?? new Uint8Array();
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
