import type { Membership } from "./mls-suite.js";
import {
  isCurrent,
  isFrom,
  type Statement,
  type StatementScope,
  type StatementVerifier,
} from "./statement.js";

/** Who may be in the group of one place: devices with a statement of the service. */
export class StatementMembership implements Membership {
  readonly #verifier: StatementVerifier;
  readonly #scope: StatementScope;
  readonly #now: () => number;
  readonly #statements = new Map<string, Statement>();

  /** `now` is the time at the service, because the service says when its statements expire. */
  constructor(verifier: StatementVerifier, scope: StatementScope, now: () => number) {
    this.#verifier = verifier;
    this.#scope = scope;
    this.#now = now;
  }

  readonly isGenuine = async (credential: string, signatureKey: Uint8Array): Promise<boolean> =>
    (await this.#read(credential, signatureKey)) !== null;

  readonly mayBeAdded = async (credential: string, signatureKey: Uint8Array): Promise<boolean> => {
    const statement = await this.#read(credential, signatureKey);
    return statement !== null && isCurrent(statement, this.#now());
  };

  readonly identityOf = (credential: string): string | null =>
    this.#statements.get(credential)?.identity ?? null;

  /** The statement in a member's credential; null unless it was found genuine. */
  statementOf(credential: string): Statement | null {
    return this.#statements.get(credential) ?? null;
  }

  async #read(credential: string, signatureKey: Uint8Array): Promise<Statement | null> {
    const statement = await this.#verifier.read(credential, signatureKey);
    if (!statement || !isFrom(statement, this.#scope)) return null;
    this.#statements.set(credential, statement);
    return statement;
  }
}
