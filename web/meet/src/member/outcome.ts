/** The result of a request: its answer, or the error code (`network` without an answer). */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: string; readonly param: string | null };

/**
 * How long a request may take with its answer, in milliseconds. A busy service lets a change wait
 * for five seconds and a slow network needs some more, but on a dead line no answer ever comes:
 * the person is told that, and can try again.
 */
export const patience = 20_000;

export const noAnswer: Outcome<never> = { ok: false, code: "network", param: null };

/** Reads the service's answer to a request. Rejects if it is incomplete. */
export async function outcomeOf<T>(response: Response): Promise<Outcome<T>> {
  const answer = (await response.json()) as T & { error?: { code: string; param?: string } };
  if (response.ok) return { ok: true, value: answer };
  const code = answer.error?.code ?? `http_${response.status}`;
  return { ok: false, code, param: answer.error?.param ?? null };
}
