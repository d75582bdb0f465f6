import { type Observable, Value } from "./observable.js";
import type { Knocking } from "./wire.js";

const nobody: readonly Knocking[] = [];

/** The people who knock, for those who may answer them. */
export class Knockers {
  readonly #list = new Value<readonly Knocking[]>(nobody);
  #knocking: readonly Knocking[] = nobody;
  #isHost = false;

  /** Oldest first. Empty for everybody but hosts and co-hosts. */
  get list(): Observable<readonly Knocking[]> {
    return this.#list;
  }

  take(knocking: readonly Knocking[]): void {
    this.#knocking = knocking;
    this.#show();
  }

  /** The service sends no further list to a person who is no longer a host. */
  setHost(isHost: boolean): void {
    this.#isHost = isHost;
    this.#show();
  }

  #show(): void {
    this.#list.set(this.#isHost ? this.#knocking : nobody);
  }
}
