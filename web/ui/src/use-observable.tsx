import { useSyncExternalStore } from "react";

interface Readable<T> {
  readonly get: () => T;
  readonly subscribe: (listener: () => void) => () => void;
}

/** The value of an observable of @conclave/client, for as long as the component is on the page. */
export function useObservable<T>(observable: Readable<T>): T {
  return useSyncExternalStore(observable.subscribe, observable.get);
}
