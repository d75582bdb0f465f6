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

/** The result of a request: its answer, or the error code (`network` without an answer). */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: string; readonly param: string | null };

/** The requests of the account protocol. The session itself is a cookie that no script sees. */
export class AccountService {
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = `${baseUrl}/account/v1`;
  }

  session(): Promise<Outcome<Session>> {
    return this.#ask("/session", { method: "GET" });
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
    const headers = { "Content-Type": "application/json" };
    return this.#ask(path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  #ask<T>(path: string, init: RequestInit): Promise<Outcome<T>> {
    return ask(this.#baseUrl + path, init);
  }
}

/** Sends a request of the account protocol. */
export async function ask<T>(url: string, init: RequestInit): Promise<Outcome<T>> {
  try {
    const response = await fetch(url, { ...init, cache: "no-store" });
    const answer = (await response.json()) as T & { error?: { code: string; param?: string } };
    if (response.ok) return { ok: true, value: answer };
    const code = answer.error?.code ?? `http_${response.status}`;
    return { ok: false, code, param: answer.error?.param ?? null };
  } catch {
    return { ok: false, code: "network", param: null };
  }
}
