import type { ArrivalStep, TakeNote } from "./steps.js";

/** What the statistics of a connection count for one track, as far as an arrival is concerned. */
interface Counters {
  readonly id: string;
  readonly type: string;
  readonly kind?: string;
  readonly pliCount?: number;
  readonly nackCount?: number;
  readonly framesDecoded?: number;
}

type Counter = "pliCount" | "nackCount" | "framesDecoded";

interface Counted {
  readonly counter: Counter;
  readonly step: ArrivalStep;
  /** Whether only the first counts. */
  readonly isOnce: boolean;
}

const received: readonly Counted[] = [
  { counter: "pliCount", step: "key frame asked", isOnce: false },
  { counter: "nackCount", step: "packets asked again", isOnce: false },
  { counter: "framesDecoded", step: "decoded", isOnce: true },
];
const sent: readonly Counted[] = [
  { counter: "pliCount", step: "told to send a key frame", isOnce: false },
];

/** Browsers make new statistics no more often than this, in milliseconds. */
const lookEvery = 50;
/** Without anything new, looking is for requests of others only, and should cost little. */
const lookIdlyEvery = 250;
/** How long after the last negotiation something new is expected, in milliseconds. */
const busyFor = 10_000;

/** Notes when the counters of pictures grow. */
export class CounterWatch {
  readonly #note: TakeNote;
  readonly #before = new Map<string, number>();

  constructor(note: TakeNote) {
    this.#note = note;
  }

  /** Compares statistics with those before. */
  look(report: Iterable<readonly [string, Counters]>): void {
    for (const [, entry] of report) {
      if (entry.kind !== "video") continue;
      if (entry.type === "inbound-rtp") this.#compare(entry, received);
      if (entry.type === "outbound-rtp") this.#compare(entry, sent);
    }
  }

  #compare(entry: Counters, counted: readonly Counted[]): void {
    for (const { counter, step, isOnce } of counted) {
      const key = `${entry.id} ${counter}`;
      const [value, before] = [entry[counter] ?? 0, this.#before.get(key) ?? 0];
      this.#before.set(key, value);
      if (value > before && !(isOnce && before > 0)) this.#note(step, `${value}`);
    }
  }
}

/** Looks at a connection's statistics until it is closed. */
export function watchCounters(connection: RTCPeerConnection, note: TakeNote): void {
  const watch = new CounterWatch(note);
  let busyUntil = performance.now() + busyFor;
  connection.addEventListener("signalingstatechange", () => {
    busyUntil = performance.now() + busyFor;
  });
  const look = async () => {
    if (connection.connectionState === "closed") return;
    if (connection.connectionState === "connected") {
      watch.look((await connection.getStats()) as ReadonlyMap<string, Counters>);
    }
    const isBusy = performance.now() < busyUntil;
    setTimeout(() => void look(), isBusy ? lookEvery : lookIdlyEvery);
  };
  void look();
}
