import { fromBase64Url, toBase64Url } from "../recording/base64url.js";
import { ServiceError } from "../service-error.js";
import type {
  AcceptedCommit,
  CreatedGroup,
  GroupMessages,
  GroupPart,
  GroupRefusal,
  NewCommit,
  SaidCommit,
  StatementAnswer,
} from "../strict/group-protocol.js";
import { keyDigest } from "../strict/statement.js";

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

interface LoggedCommit {
  readonly seq: number;
  readonly epoch: number;
  readonly commit: string;
  readonly welcome: string | null;
  readonly added: ReadonlySet<string>;
  readonly from: string;
  readonly said: SaidCommit;
}

/** What a device said against a group. */
interface Refused {
  readonly groupId: string;
  /** Who sent the message that it could not take. */
  readonly author: string | null;
}

/** How long a refusal still counts once its device is in the group again, in milliseconds. */
const refusalFor = 60_000;

/** How long after a group those who have waited longest come first, in milliseconds. */
const turnFor = 10_000;

/** What the service keeps of one place. */
class PlayedPlace {
  groupId: string | null = null;
  epoch = 0;
  seq = 0;
  /** The devices that a commit added, present or not, with the time. */
  readonly added = new Map<string, number>();
  readonly keyPackages = new Map<string, string>();
  readonly present = new Set<string>();
  /** What devices said that they cannot be in, by the device's identity. */
  readonly refusals = new Map<string, Refused>();
  /** When the last group ended. */
  endedAt = Number.NEGATIVE_INFINITY;
  /** How many groups have ended while a device waited, by its identity. */
  readonly passed = new Map<string, number>();
  /** Devices that have been in the present group, and have not refused it since. */
  readonly been = new Set<string>();
  /** Devices that may not make a group (`founding`), or may not be added either (`joining`). */
  readonly barred = new Map<string, "founding" | "joining">();
  log: LoggedCommit[] = [];
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
      members: this.#members(there),
      waiting: [...there.keyPackages]
        .filter(([one]) => there.present.has(one) && !isBarred(there, one, "joining"))
        .map(([one, key_package]) => ({ identity: one, key_package })),
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
    this.#end(there, identity);
    this.#changed(place);
  }

  create(place: string | null, identity: string, groupId: string): CreatedGroup {
    const there = this.#present(place, identity);
    const isRepeated = there.groupId === groupId && there.epoch === 0 && there.added.has(identity);
    if (isRepeated) return { seq: there.seq };
    if (there.groupId !== null) throw refusal(409, "group_exists");
    const isBehind = this.#comesLater(there, identity);
    if (isBehind || isBarred(there, identity, "founding", "joining")) {
      throw refusal(403, "not_in_group");
    }
    there.groupId = groupId;
    there.epoch = 0;
    there.seq += 1;
    there.log = [];
    this.overheard.set(groupId, there.log);
    there.added.clear();
    this.#join(there, identity);
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
    const members = this.#members(there);
    if (commit.removes.some((one) => members.includes(one))) throw refusal(409, "place_changed");
    there.epoch += 1;
    there.seq += 1;
    for (const removed of commit.removes) this.#end(there, removed);
    const added = new Set<string>();
    for (const { identity: one, key_package } of commit.adds) {
      added.add(one);
      // A device that sent another key package meanwhile goes on waiting with it.
      if (digests.get(one) !== key_package) continue;
      this.#join(there, one);
    }
    const { epoch, welcome } = commit;
    const seq = there.seq;
    const { check, link, adds, removes } = commit;
    const said = { check, link, adds, removes };
    there.log.push({ seq, epoch, commit: commit.commit, welcome, added, from: identity, said });
    this.#changed(place);
    return { epoch: there.epoch, seq };
  }

  refuse(place: string | null, identity: string, { group_id, seq }: GroupRefusal): void {
    const there = this.#present(place, identity);
    if (there.groupId !== group_id) throw refusal(404, "not_found");
    there.added.delete(identity);
    there.been.delete(identity);
    there.keyPackages.delete(identity);
    const from = there.log.find((commit) => commit.seq === seq)?.from ?? null;
    const author = from === identity ? null : from;
    there.refusals.set(identity, { groupId: group_id, author });
    this.#barBlamed(there);
    this.#changed(place);
  }

  messages(place: string | null, identity: string, groupId: string, after: number): GroupMessages {
    const there = this.#present(place, identity);
    if (there.groupId !== groupId || !there.added.has(identity)) throw refusal(404, "not_found");
    const newest = there.log.findLastIndex(({ added }) => added.has(identity));
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

  #members(there: PlayedPlace): string[] {
    return [...there.added.keys()].filter((one) => there.present.has(one));
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

  #join(there: PlayedPlace, identity: string): void {
    there.keyPackages.delete(identity);
    there.added.set(identity, this.#now());
    there.been.add(identity);
    there.passed.delete(identity);
  }

  /** Whether somebody who may make the next group has waited through more groups. */
  #comesLater(there: PlayedPlace, identity: string): boolean {
    if (this.#now() - there.endedAt >= turnFor) return false;
    return [...there.keyPackages.keys()].some((one) => {
      if (!there.present.has(one) || isBarred(there, one, "founding", "joining")) return false;
      return (there.passed.get(one) ?? 0) > (there.passed.get(identity) ?? 0);
    });
  }

  /** Ends a membership. A refusal that has stopped counting does not count again. */
  #end(there: PlayedPlace, identity: string): void {
    if (this.#hasRegained(there, identity)) there.refusals.delete(identity);
    there.added.delete(identity);
  }

  /** Whether a device has been in the group for so long that it can be in it. */
  #hasRegained({ added }: PlayedPlace, identity: string): boolean {
    const since = added.get(identity);
    return since !== undefined && this.#now() - since >= refusalFor;
  }

  /**
   * Whether most of those here cannot be in the group. A refusal counts only if more of them blame
   * its author than blame the device that refuses.
   */
  #isUnwanted(there: PlayedPlace): boolean {
    const { people, blames } = this.#refusals(there);
    const counted = [...blames].filter(
      ([person, author]) => blaming(blames, author) > blaming(blames, person),
    );
    return 2 * counted.length > people;
  }

  /** Bars the authors whose messages most of those here refuse. */
  #barBlamed(there: PlayedPlace): void {
    const { people, blames } = this.#refusals(there);
    for (const author of blames.values()) {
      if (author === null || !there.present.has(author)) continue;
      if (2 * blaming(blames, author) > people) there.barred.set(author, "joining");
    }
  }

  /**
   * How many are here, and the author that each device blames which cannot be in the group; null
   * stands for no author.
   * Each device counts as a person, because no test has two devices of one.
   */
  #refusals(there: PlayedPlace): { people: number; blames: Map<string, string | null> } {
    const here = [...there.present].filter((one) => !isBarred(there, one, "joining"));
    const blames = new Map<string, string | null>();
    for (const one of here) {
      const refused = there.refusals.get(one);
      if (!refused || refused.groupId !== there.groupId) continue;
      if (!this.#hasRegained(there, one)) blames.set(one, refused.author);
    }
    return { people: here.length, blames };
  }

  #changed(place: string | null): void {
    const there = this.#place(place);
    const isOver = this.#members(there).length === 0 || this.#isUnwanted(there);
    if (there.groupId !== null && isOver) {
      if (this.#isUnwanted(there)) {
        this.#barBlamed(there);
        for (const one of there.added.keys()) {
          if (!there.barred.has(one)) there.barred.set(one, "founding");
        }
      }
      there.groupId = null;
      there.epoch = 0;
      there.seq += 1;
      there.endedAt = this.#now();
      for (const one of there.keyPackages.keys()) {
        if (!there.present.has(one) || there.been.has(one)) continue;
        there.passed.set(one, (there.passed.get(one) ?? 0) + 1);
      }
      there.added.clear();
      there.been.clear();
    }
    this.onChange(place);
  }
}

/** Whether a device is barred from something, and another present device is not. */
function isBarred({ present, barred }: PlayedPlace, identity: string, ...from: string[]): boolean {
  const isIt = (one: string) => from.includes(barred.get(one) ?? "");
  return isIt(identity) && [...present].some((one) => !isIt(one));
}

/** How many blame this author, or nobody. */
function blaming(blames: ReadonlyMap<string, string | null>, author: string | null): number {
  return [...blames.values()].filter((one) => one === author).length;
}

export function refusal(status: number, code: string): ServiceError {
  return new ServiceError(status, code, code, null);
}
