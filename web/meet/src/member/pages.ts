import { type Observable, Value } from "@conclave/client/pre-join";
import { isOver } from "./is-over";
import type { Outcome } from "./outcome";
import type { Page } from "./workspace-api";

export type ListState<T> =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly code: string }
  | {
      readonly kind: "ready";
      readonly items: readonly T[];
      readonly hasMore: boolean;
      /** The error code of the last page, if it failed to load. */
      readonly failure: string | null;
    };

interface Item {
  readonly id: string;
}

/** Loads a page: the one after the item with this id, or the first. */
export type LoadPage<T> = (after: string | null) => Promise<Outcome<Page<T>>>;

/** A list that is loaded in pages, one request after the other. */
export class Pages<T extends Item> {
  readonly #load: LoadPage<T>;
  readonly #state = new Value<ListState<T>>({ kind: "loading" });
  #work: Promise<void> = Promise.resolve();
  #willReload = false;
  /** Items that were changed here. The answer to an earlier request may not have the change. */
  #changes = 0;

  constructor(load: LoadPage<T>) {
    this.#load = load;
  }

  get state(): Observable<ListState<T>> {
    return this.#state;
  }

  /** Loads everything that is shown again. If that fails, the shown items stay. */
  readonly reload = (): void => {
    if (this.#willReload) return;
    this.#willReload = true;
    this.#then(() => {
      this.#willReload = false;
      return this.#again();
    });
  };

  readonly showMore = (): void => {
    this.#then(() => this.#more());
  };

  /** Shows a changed item in place of the one with the same id. */
  readonly replace = (item: T): void => {
    this.#change((items) => items.map((one) => (one.id === item.id ? item : one)));
  };

  readonly remove = (id: string): void => {
    this.#change((items) => items.filter((one) => one.id !== id));
    const state = this.#state.get();
    if (state.kind === "ready" && state.items.length === 0 && state.hasMore) this.reload();
  };

  #then(act: () => Promise<void>): void {
    this.#work = this.#work.then(act);
  }

  get #items(): readonly T[] {
    const state = this.#state.get();
    return state.kind === "ready" ? state.items : [];
  }

  async #again(): Promise<void> {
    const { length } = this.#items;
    const before = this.#changes;
    const items: T[] = [];
    for (;;) {
      const outcome = await this.#load(items.at(-1)?.id ?? null);
      if (!outcome.ok) {
        // A reload in the background: keep the shown items, unless the person may no longer see
        // them.
        if (length === 0 || isOver(outcome.code)) {
          this.#state.set({ kind: "failed", code: outcome.code });
        }
        return;
      }
      items.push(...outcome.value.data);
      const hasMore = outcome.value.has_more;
      if (hasMore && items.length < length) continue;
      if (before === this.#changes) {
        this.#state.set({ kind: "ready", items, hasMore, failure: null });
      } else this.reload();
      return;
    }
  }

  async #more(): Promise<void> {
    const last = this.#items.at(-1);
    if (last === undefined) return this.#again();
    const outcome = await this.#load(last.id);
    const items = this.#items;
    if (outcome.ok) {
      const { data, has_more } = outcome.value;
      const all = [...items, ...data];
      this.#state.set({ kind: "ready", items: all, hasMore: has_more, failure: null });
    } else if (isOver(outcome.code)) this.#state.set({ kind: "failed", code: outcome.code });
    else this.#state.set({ kind: "ready", items, hasMore: true, failure: outcome.code });
  }

  #change(change: (items: readonly T[]) => readonly T[]): void {
    this.#changes += 1;
    this.#state.update((state) =>
      state.kind === "ready" ? { ...state, items: change(state.items) } : state,
    );
  }
}
