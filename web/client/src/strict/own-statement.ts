import { toBase64Url } from "../recording/base64url.js";
import type { GroupDelivery } from "./group-protocol.js";
import { StatementMembership } from "./membership.js";
import type { GroupRules } from "./mls-group.js";
import type { SignatureKeys } from "./mls-suite.js";
import { isCurrent, StatementVerifier } from "./statement.js";

export interface OwnStatementOptions {
  readonly delivery: Pick<GroupDelivery, "statement">;
  readonly signatureKeys: SignatureKeys;
  /** The time at the service, which says when its statements expire. */
  readonly serviceNow: () => number;
  /** The identity of this device. */
  readonly me: string;
  readonly room: string;
  /** A breakout room's id; null: the main room. */
  readonly place: string | null;
  /** The link secret; null when the link has none. */
  readonly linkSecret: Uint8Array | null;
}

/** This device's statement, and the rules by which it judges the other members. */
export interface OwnIdentity {
  readonly statement: string;
  /** The service's key, base64url. */
  readonly serviceKey: string;
  readonly membership: StatementMembership;
  readonly rules: GroupRules;
}

/** The service gave a statement that is not valid, or that is about another device. */
export class StatementInvalid extends Error {}

/** A statement that expires within this time, in milliseconds, is replaced before it is used. */
const reserve = 3_600_000;

/** The statement of this device. */
export class OwnStatement {
  readonly #options: OwnStatementOptions;
  #known: OwnIdentity | null = null;

  constructor(options: OwnStatementOptions) {
    this.#options = options;
  }

  /** The newest statement; null before the first. */
  get known(): OwnIdentity | null {
    return this.#known;
  }

  /** Forgets the statement, because the service does not use the key that signed it any more. */
  forget(): void {
    this.#known = null;
  }

  /** The newest statement if it stays valid for a while, else a new one from the service. */
  async current(): Promise<OwnIdentity> {
    const { delivery, signatureKeys, linkSecret, me, room, place, serviceNow } = this.#options;
    const known = this.#known;
    const said = known?.membership.statementOf(known.statement);
    if (known && said && isCurrent(said, serviceNow() + reserve)) return known;
    const key = signatureKeys.publicKey;
    const { statement, service_key } = await delivery.statement(toBase64Url(key));
    const verifier = StatementVerifier.of(service_key);
    const own = await verifier.read(statement, key);
    if (!own || own.identity !== me || own.room !== room || own.place !== place) {
      throw new StatementInvalid("The service's statement is not about this device.");
    }
    const scope = { room, place, meeting: own.meeting };
    const membership = new StatementMembership(verifier, scope, serviceNow);
    await membership.isGenuine(statement, key);
    this.#known = {
      statement,
      serviceKey: service_key,
      membership,
      rules: { membership, linkSecret },
    };
    return this.#known;
  }
}
