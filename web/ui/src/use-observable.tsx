import { useSyncExternalStore } from "react";

interface Readable<T> {
  readonly get: () => T;
  readonly subscribe: (listener: () => void) => () => void;
}

/** The current value of an observable of @conclave/client. */
export function useObservable<T>(observable: Readable<T>): T {
  return useSyncExternalStore(observable.subscribe, observable.get);
}
