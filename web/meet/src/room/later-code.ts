import type { Observable } from "@conclave/client";
import { Value } from "@conclave/client/pre-join";
import { loadAgain } from "@conclave/ui/load-again";
import type { MeetingEntry } from "./enter";

/** The screens that follow the pre-join page. */
export type LaterScreens = Awaited<ReturnType<typeof loadScreens>>;

/**
 * The code that the pre-join page does not need, loaded while the person gets ready. It is loaded
 * once and then at hand: importing modules that the page already had took a busy page a third of a
 * second, in which the person saw nobody.
 */
export class LaterCode {
  readonly #load: typeof loadAll;
  readonly #screens = new Value<LaterScreens | null>(null);
  #loading: Promise<MeetingEntry> | null = null;

  constructor(load = loadAll) {
    this.#load = load;
  }

  /** Null until they are loaded. */
  get screens(): Observable<LaterScreens | null> {
    return this.#screens;
  }

  /** Loads the way into meetings, and the screens. What could not be loaded is loaded again. */
  entry(): Promise<MeetingEntry> {
    this.#loading ??= this.#loadOnce();
    return this.#loading;
  }

  async #loadOnce(): Promise<MeetingEntry> {
    try {
      const { entry, screens } = await this.#load();
      this.#screens.set(screens);
      return entry;
    } catch (error) {
      this.#loading = null;
      throw error;
    }
  }
}

async function loadAll() {
  const [{ MeetingEntry }, screens] = await Promise.all([
    loadAgain(() => import("./enter")),
    loadScreens(),
  ]);
  return { entry: new MeetingEntry(), screens };
}

/** The meeting's screen comes with its part of the message catalogue. */
async function loadScreens() {
  const [{ MeetingPage }, { WaitingScreen }, { OutPage }, { startMeetingMessages }] =
    await Promise.all([
      loadAgain(() => import("./meeting-page")),
      loadAgain(() => import("../features/join/waiting-screen")),
      loadAgain(() => import("./out-page")),
      loadAgain(() => import("../messages/meeting")),
    ]);
  startMeetingMessages();
  return { MeetingPage, WaitingScreen, OutPage };
}
