/**
 * The Idempotency-Keys of requests whose answers never came. A repeated request carries the same
 * key, so that the service carries it out once. After an answer, the next request gets a new key.
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

  /** Notes an answer, so that the next such request gets a new key. */
  answered(path: string, body: string): void {
    this.#unanswered.delete(`${path}\n${body}`);
  }
}

/**
 * Whether an answer is the final result of a request. It is not while the first try still runs, or
 * if the service failed in the middle of it.
 */
export function isFinal(status: number, code: string | null): boolean {
  return status < 500 && code !== "idempotency_key_in_use";
}

/** A new random key. Pages loaded over http have no crypto.randomUUID. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
