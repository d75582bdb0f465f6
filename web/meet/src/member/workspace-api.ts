import { Attempts, isFinal } from "./attempts";
import { noAnswer, type Outcome, outcomeOf, patience } from "./outcome";

export interface Page<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
}

/** Sends API requests of a signed-in member, in one of their workspaces. */
export class WorkspaceApi {
  readonly #baseUrl: string;
  readonly #workspace: string;
  readonly #attempts = new Attempts();

  constructor(baseUrl: string, workspace: string) {
    this.#baseUrl = `${baseUrl}/api/v1`;
    this.#workspace = workspace;
  }

  async ask<T>(method: string, path: string, fields?: object): Promise<Outcome<T>> {
    const body = fields ? JSON.stringify(fields) : null;
    const isNew = method === "POST" && body !== null;
    try {
      const response = await fetch(this.#baseUrl + path, {
        method,
        signal: AbortSignal.timeout(patience),
        cache: "no-store",
        headers: {
          "Conclave-Workspace": this.#workspace,
          ...(body !== null ? { "Content-Type": "application/json" } : {}),
          ...(isNew ? { "Idempotency-Key": this.#attempts.key(path, body) } : {}),
        },
        ...(body !== null ? { body } : {}),
      });
      const outcome = knownBySession(await outcomeOf<T>(response));
      const code = outcome.ok ? null : outcome.code;
      if (isNew && isFinal(response.status, code)) this.#attempts.answered(path, body);
      return outcome;
    } catch {
      return noAnswer;
    }
  }
}

/**
 * The outcome for a person, who has no API key: without a session, the service asks for a key. They
 * have to sign in.
 */
function knownBySession<T>(outcome: Outcome<T>): Outcome<T> {
  if (outcome.ok || outcome.code !== "api_key_missing") return outcome;
  return { ...outcome, code: "sign_in_required" };
}

export function query(fields: Readonly<Record<string, string | null>>): URLSearchParams {
  const given = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== null);
  return new URLSearchParams(given);
}
