import { Attempts, isFinal } from "./attempts";

export interface Page<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
}

/** The result of a request: its answer, or the error code (`network` without an answer). */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: string; readonly param: string | null };

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
        cache: "no-store",
        headers: {
          "Conclave-Workspace": this.#workspace,
          ...(body !== null ? { "Content-Type": "application/json" } : {}),
          ...(isNew ? { "Idempotency-Key": this.#attempts.key(path, body) } : {}),
        },
        ...(body !== null ? { body } : {}),
      });
      const answer = (await response.json()) as T & { error?: { code: string; param?: string } };
      const code = response.ok ? null : (answer.error?.code ?? `http_${response.status}`);
      if (isNew && isFinal(response.status, code)) this.#attempts.answered(path, body);
      if (code === null) return { ok: true, value: answer };
      return { ok: false, code, param: answer.error?.param ?? null };
    } catch {
      return { ok: false, code: "network", param: null };
    }
  }
}

export function query(fields: Readonly<Record<string, string | null>>): URLSearchParams {
  const given = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== null);
  return new URLSearchParams(given);
}
