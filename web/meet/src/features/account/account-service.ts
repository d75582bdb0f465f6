import { noAnswer, type Outcome, outcomeOf, patience } from "../../member/outcome";

/** The signed-in session, from the service. */
export interface Session {
  readonly account: Account | null;
  /** The person's workspaces, the personal one first. */
  readonly workspaces: readonly Membership[];
  /** Whether people can also sign in through their organisation. */
  readonly oidc: boolean;
}

export interface Account {
  readonly email: string;
  readonly name: string;
  /** A person who signs in through their organisation may have none. */
  readonly has_password: boolean;
}

export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly personal: boolean;
}

export interface Invitation {
  readonly email: string;
  readonly name: string;
}

/** The requests of the account protocol. The session itself is a cookie that no script sees. */
export class AccountService {
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = `${baseUrl}/account/v1`;
  }

  session(): Promise<Outcome<Session>> {
    return ask(`${this.#baseUrl}/session`);
  }

  signIn(email: string, password: string): Promise<Outcome<Session>> {
    return this.#post("/sign-in", { email, password });
  }

  signOut(): Promise<Outcome<Session>> {
    return this.#post("/sign-out", {});
  }

  signOutEverywhere(): Promise<Outcome<Session>> {
    return this.#post("/sign-out-everywhere", {});
  }

  lookUpInvitation(secret: string): Promise<Outcome<Invitation>> {
    return this.#post("/invitations/look-up", { secret });
  }

  accept(secret: string, name: string, password: string): Promise<Outcome<Session>> {
    return this.#post("/invitations/accept", { secret, name, password });
  }

  changePassword(current: string, wanted: string): Promise<Outcome<Session>> {
    return this.#post("/password", { current_password: current, new_password: wanted });
  }

  /** The address to sign in through the organisation, and then go on to `next`. */
  oidcAddress(next: string): string {
    return `${this.#baseUrl}/oidc/start?next=${encodeURIComponent(next)}`;
  }

  #post<T>(path: string, body: object): Promise<Outcome<T>> {
    return send("POST", this.#baseUrl + path, body);
  }
}

/** Reads something through the account protocol. */
export function ask<T>(url: string): Promise<Outcome<T>> {
  return request(url, { method: "GET" }, patience);
}

/**
 * Changes something through the account protocol. Every change needs a JSON body, which the form of
 * another site cannot send.
 */
export function send<T>(
  method: string,
  url: string,
  body: object,
  within = patience,
): Promise<Outcome<T>> {
  const headers = { "Content-Type": "application/json" };
  return request(url, { method, headers, body: JSON.stringify(body) }, within);
}

async function request<T>(url: string, init: RequestInit, within: number): Promise<Outcome<T>> {
  try {
    const signal = AbortSignal.timeout(within);
    return await outcomeOf<T>(await fetch(url, { ...init, signal, cache: "no-store" }));
  } catch {
    return noAnswer;
  }
}
