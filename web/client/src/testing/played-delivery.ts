import { personOf } from "../identity.js";
import { fromBase64Url, toBase64Url } from "../recording/base64url.js";
import { ServiceError } from "../service-error.js";
import type {
  AcceptedCommit,
  CreatedGroup,
  GroupMessages,
  GroupPart,
  GroupRefusal,
  NewCommit,
  StatementAnswer,
} from "../strict/group-protocol.js";
import { keyDigest } from "../strict/statement.js";
import {
  barBlamed,
  beginAnew,
  comesLater,
  endIfOver,
  isBarred,
  join,
  type LoggedCommit,
  leave,
  membersOf,
  PlayedPlace,
  prune,
  waitingIn,
} from "./played-place.js";

/** The key with which a service signs statements. */
export interface StatementKey {
  readonly privateKey: CryptoKey;
  /** base64url. */
  readonly publicKey: string;
}

export async function newStatementKey(): Promise<StatementKey> {
  const pair = (await crypto.subtle.generateKey("Ed25519", false, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const publicKey = await crypto.subtle.exportKey("raw", pair.publicKey);
  return { privateKey: pair.privateKey, publicKey: toBase64Url(new Uint8Array(publicKey)) };
}

export const day = 24 * 3_600_000;

/** Signs a statement as the service does. */
export async function signStatement(
  { privateKey }: StatementKey,
  signatureKey: Uint8Array,
  said: {
    readonly identity: string;
    readonly place?: string | null;
    readonly room?: string;
    readonly meeting?: string;
    readonly expiresAt?: number;
  },
): Promise<string> {
  const json = new TextEncoder().encode(
    JSON.stringify({
      room: said.room ?? "room",
      meeting: said.meeting ?? "meeting",
      place: said.place ?? null,
      identity: said.identity,
      name: `Name of ${said.identity}`,
      role: "participant",
      key: await keyDigest(signatureKey),
      expires_at: new Date(said.expiresAt ?? day).toISOString(),
    }),
  );
  const signed = new Uint8Array([...new TextEncoder().encode("conclave statement v1:"), ...json]);
  const signature = await crypto.subtle.sign("Ed25519", privateKey, signed);
  return `v1.${toBase64Url(json)}.${toBase64Url(new Uint8Array(signature))}`;
}

/** The delivery service of one meeting, as docs/reference/meeting-protocol.md describes it. */
export class PlayedDelivery {
  /** It changes when the operator replaces the master key. */
  key: StatementKey;
  readonly #places = new Map<string | null, PlayedPlace>();
  /** Called when the part of a place has changed. */
  onChange: (place: string | null) => void = () => {};
  /** Whether the room has sent too much, so that commits are refused for a while. */
  isBusy = false;
  /** Everything that anybody could have overheard, by group. */
  readonly overheard = new Map<string, LoggedCommit[]>();

  readonly #now: () => number;

  constructor(key: StatementKey, now: () => number = () => 0) {
    this.key = key;
    this.#now = now;
  }

  /** Copies what the service keeps of a place. The returned function puts the copy in its place. */
  backUp(place: string | null): () => void {
    const copy = structuredClone(this.#place(place));
    return () => {
      this.#places.set(place, copy);
      this.#changed(place);
    };
  }

  /** A person is in the media room of this place from now on, or is not any more. */
  setPresent(place: string | null, identity: string, isPresent: boolean): void {
    const there = this.#place(place);
    if (isPresent) there.present.add(identity);
    else there.present.delete(identity);
    this.#changed(place);
  }

  /** A person has left for good, or gone elsewhere. */
  forget(place: string | null, identity: string): void {
    const there = this.#place(place);
    there.present.delete(identity);
    there.added.delete(identity);
    there.keyPackages.delete(identity);
    there.refusals.delete(identity);
    there.barred.delete(identity);
    there.passed.delete(identity);
    there.been.delete(identity);
    this.#changed(place);
  }

  /** What a device is told; null when it is not in this place. */
  partFor(place: string | null, identity: string): GroupPart | null {
    const there = this.#place(place);
    if (!there.present.has(identity)) return null;
    return {
      place,
      group_id: there.groupId,
      epoch: there.epoch,
      seq: there.seq,
      service_key: this.key.publicKey,
      members: membersOf(there),
      waiting: waitingIn(there),
    };
  }

  async statement(
    place: string | null,
    identity: string,
    signatureKey: string,
  ): Promise<StatementAnswer> {
    const key = fromBase64Url(signatureKey);
    const statement = await signStatement(this.key, key, { identity, place });
    return { statement, service_key: this.key.publicKey };
  }

  sendKeyPackage(place: string | null, identity: string, keyPackage: string): void {
    const there = this.#place(place);
    there.keyPackages.set(identity, keyPackage);
    leave(there, identity, this.#now());
    this.#changed(place);
  }

  create(place: string | null, identity: string, groupId: string): CreatedGroup {
    const there = this.#present(place, identity);
    const isRepeated = there.groupId === groupId && there.epoch === 0 && there.added.has(identity);
    if (isRepeated) return { seq: there.seq };
    if (there.groupId !== null) throw refusal(409, "group_exists");
    const isBehind = comesLater(there, identity, this.#now());
    if (isBehind || isBarred(there, identity)) {
      throw refusal(403, "not_in_group");
    }
    there.groupId = groupId;
    there.epoch = 0;
    there.seq += 1;
    there.log = [];
    there.keptFrom = 0;
    this.overheard.set(groupId, there.log);
    there.added.clear();
    there.founder = identity;
    beginAnew(there, personOf(identity));
    join(there, identity, this.#now());
    this.#changed(place);
    return { seq: there.seq };
  }

  async commit(place: string | null, identity: string, commit: NewCommit): Promise<AcceptedCommit> {
    const digests = new Map<string, string>();
    for (const [one, text] of this.#place(place).keyPackages) {
      const digest = await crypto.subtle.digest("SHA-256", fromBase64Url(text));
      digests.set(one, toBase64Url(new Uint8Array(digest)));
    }
    const there = this.#present(place, identity);
    if (this.isBusy) throw refusal(429, "rate_limited");
    if (there.groupId !== commit.group_id || there.epoch !== commit.epoch) {
      throw refusal(409, "epoch_taken");
    }
    if (!there.added.has(identity)) throw refusal(403, "not_in_group");
    const members = membersOf(there);
    if (commit.removes.some((one) => members.includes(one))) throw refusal(409, "place_changed");
    there.epoch += 1;
    there.seq += 1;
    const madeAt = this.#now();
    for (const removed of commit.removes) leave(there, removed, madeAt);
    const added = new Set<string>();
    for (const { identity: one, key_package } of commit.adds) {
      added.add(one);
      // A device that sent another key package meanwhile goes on waiting with it.
      if (digests.get(one) !== key_package) continue;
      join(there, one, madeAt);
    }
    const { epoch, welcome } = commit;
    const seq = there.seq;
    const { check, link, adds, removes } = commit;
    const said = { check, link, adds, removes };
    const message = commit.commit;
    there.log.push({ seq, epoch, commit: message, welcome, added, from: identity, said, madeAt });
    prune(there, madeAt);
    this.#changed(place);
    return { epoch: there.epoch, seq };
  }

  refuse(place: string | null, identity: string, { group_id, seq }: GroupRefusal): void {
    const there = this.#present(place, identity);
    if (there.groupId !== group_id) throw refusal(404, "not_found");
    there.added.delete(identity);
    there.keyPackages.delete(identity);
    const kept = there.log.filter((commit) => commit.seq >= there.keptFrom);
    const from = kept.find((commit) => commit.seq === seq)?.from ?? null;
    const author = from === identity ? null : from;
    there.refusals.set(identity, { groupId: group_id, author });
    barBlamed(there, this.#now());
    this.#changed(place);
  }

  messages(place: string | null, identity: string, groupId: string, after: number): GroupMessages {
    const there = this.#present(place, identity);
    if (there.groupId !== groupId || !there.added.has(identity)) throw refusal(404, "not_found");
    const newest = there.log.findLastIndex(({ added }) => added.has(identity));
    if (Math.max(after + 1, there.log[newest]?.seq ?? 0) < there.keptFrom) {
      throw refusal(404, "not_found");
    }
    const data = there.log
      .slice(Math.max(0, newest))
      .filter(({ seq }) => seq > after)
      .map(({ seq, epoch, commit, welcome, added, said }) =>
        added.has(identity)
          ? { seq, epoch, kind: "welcome" as const, message: welcome ?? "", ...said }
          : { seq, epoch, kind: "commit" as const, message: commit, ...said },
      );
    const page = data.slice(0, 3); // small, so that tests turn pages
    return { data: page, has_more: data.length > page.length };
  }

  #place(place: string | null): PlayedPlace {
    const there = this.#places.get(place) ?? new PlayedPlace();
    this.#places.set(place, there);
    return there;
  }

  #present(place: string | null, identity: string): PlayedPlace {
    const there = this.#place(place);
    if (!there.present.has(identity)) throw refusal(409, "place_changed");
    return there;
  }

  #changed(place: string | null): void {
    endIfOver(this.#place(place), this.#now());
    this.onChange(place);
  }
}

export function refusal(status: number, code: string): ServiceError {
  return new ServiceError(status, code, code, null);
}
