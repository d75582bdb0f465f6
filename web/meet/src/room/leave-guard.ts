import { type Observable, Value } from "@conclave/client/pre-join";
import { Unsent } from "./unsent";

/** What the guard uses of the window. Tests have a fake one. */
export interface GuardedPage {
  readonly history: Pick<History, "state" | "pushState" | "back">;
  addEventListener(type: string, listener: (event: Event) => void): void;
  removeEventListener(type: string, listener: (event: Event) => void): void;
}

/** Marks the entry that the guard adds to the history. A reload keeps it. */
const mark = "conclave.call";

/**
 * Asks before the person leaves a running call by accident. The browser itself asks when the tab is
 * closed or reloaded. Going back leads to the page's own entry in the history, which the guard put
 * a second one on top of, so that the page can ask: browsers on phones do not. After the call the
 * browser goes on asking until nothing is left to send.
 */
export class LeaveGuard {
  readonly unsent = new Unsent();
  readonly #page: GuardedPage;
  readonly #isAsking = new Value(false);
  #isInCall = false;
  readonly #onPop = () => {
    if (this.#isMarked) return;
    this.#page.history.pushState(mark, "");
    this.#isAsking.set(true);
  };
  readonly #onUnload = (event: Event) => event.preventDefault();

  constructor(page: GuardedPage) {
    this.#page = page;
    this.unsent.hasRest.subscribe(() => this.#followUnload());
  }

  /** True from going back until the person decides. */
  get isAsking(): Observable<boolean> {
    return this.#isAsking;
  }

  /** The call begins. */
  open(): void {
    if (!this.#isMarked) this.#page.history.pushState(mark, "");
    this.#page.addEventListener("popstate", this.#onPop);
    this.#isInCall = true;
    this.unsent.begin();
    this.#followUnload();
  }

  /** The person stays in the call. */
  stay(): void {
    this.#isAsking.set(false);
  }

  /** The call is over, so going back need not be asked about any more. */
  close(): void {
    this.#page.removeEventListener("popstate", this.#onPop);
    this.#isInCall = false;
    this.#followUnload();
    this.#isAsking.set(false);
  }

  /** Takes the second entry away, so that going back does so at once. For a page that stays. */
  tidy(): void {
    if (this.#isMarked) this.#page.history.back();
  }

  #followUnload(): void {
    const isNeeded = this.#isInCall || this.unsent.hasRest.get();
    if (isNeeded) this.#page.addEventListener("beforeunload", this.#onUnload);
    else this.#page.removeEventListener("beforeunload", this.#onUnload);
  }

  get #isMarked(): boolean {
    return this.#page.history.state === mark;
  }
}
