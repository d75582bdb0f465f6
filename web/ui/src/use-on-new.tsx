import { useEffect, useRef } from "react";

/**
 * Calls `onNew` with a key that was not in the list at the last render. On the first render all
 * keys are new. A key that disappeared and came back is new again.
 */
export function useOnNew(keys: readonly string[], onNew: (key: string) => void): void {
  const known = useRef<readonly string[]>([]);
  useEffect(() => {
    const fresh = keys.find((key) => !known.current.includes(key));
    known.current = keys;
    if (fresh !== undefined) onNew(fresh);
  });
}
