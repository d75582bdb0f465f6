/**
 * The Idempotency-Keys of requests whose answers never came. The same request, sent again, carries
 * the same key, so that the service does its work once; after an answer the next one is a new one.
 */
export class Attempts {
  readonly #unanswered = new Map<string, string>();

  /** The key for a request. */
  key(path: string, body: string): string {
    const name = `${path}\n${body}`;
    const key = this.#unanswered.get(name) ?? newKey();
    this.#unanswered.set(name, key);
    return key;
  }

  /** Notes an answer, after which the request would be another one. */
  answered(path: string, body: string): void {
    this.#unanswered.delete(`${path}\n${body}`);
  }
}

/**
 * Whether an answer says what became of a request. It does not while the first try still runs, or
 * when the service failed in the middle of it.
 */
export function isFinal(status: number, code: string | null): boolean {
  return status < 500 && code !== "idempotency_key_in_use";
}

/** A key that nobody else has. Pages that came by http have no crypto.randomUUID. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
