import type { GuardedPage } from "../src/room/leave-guard";

/** A window with a history, for tests of what happens when the person goes back. */
export function fakePage() {
  let states: unknown[] = [null];
  let listeners = new Map<string, Set<(event: Event) => void>>();
  const tell = (event: Event) => {
    for (const listener of [...(listeners.get(event.type) ?? [])]) listener(event);
    return event;
  };
  const goBack = () => {
    states = states.slice(0, -1);
    tell(new Event("popstate"));
  };
  const page: GuardedPage = {
    history: {
      get state() {
        return states.at(-1);
      },
      pushState: (state) => void states.push(state),
      back: goBack,
    },
    addEventListener: (type, listener) =>
      listeners.set(type, (listeners.get(type) ?? new Set()).add(listener)),
    removeEventListener: (type, listener) => listeners.get(type)?.delete(listener),
  };
  return {
    ...page,
    goBack,
    entries: () => states.length,
    asksWhenClosed: () => tell(new Event("beforeunload", { cancelable: true })).defaultPrevented,
    /** The same page after a reload: nobody listens any more, and the history is as it was. */
    reloaded: (): GuardedPage => {
      listeners = new Map();
      return page;
    },
  };
}
