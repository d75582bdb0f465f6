/**
 * Which banner is shown where there is room for one. `alarm`: the meeting does not work right now.
 * `passing`: disappears by itself. `news`: waits for the person. `lasting`: says what goes on for as
 * long as it does, or waits for the person but is less urgent than all other banners.
 */
export type BannerRank = "alarm" | "passing" | "news" | "lasting";

const order: readonly BannerRank[] = ["alarm", "passing", "news", "lasting"];

interface Entry {
  readonly id: symbol;
  readonly rank: BannerRank;
}

/** The banners that there are, in the order in which they are shown one after the other. */
export class BannerQueue {
  #entries: readonly Entry[] = [];
  readonly #listeners = new Set<() => void>();

  /** Adds a banner; the returned function takes it away. */
  join(id: symbol, rank: BannerRank): () => void {
    this.#set([...this.#entries, { id, rank }]);
    return () => this.#set(this.#entries.filter((entry) => entry.id !== id));
  }

  /**
   * Whether to show this banner: of the first rank that there is, the one that has been there
   * longest.
   */
  shows(id: symbol): boolean {
    const sorted = this.#entries.toSorted((a, b) => order.indexOf(a.rank) - order.indexOf(b.rank));
    return sorted[0]?.id === id;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #set(entries: readonly Entry[]): void {
    this.#entries = entries;
    for (const listener of this.#listeners) listener();
  }
}
