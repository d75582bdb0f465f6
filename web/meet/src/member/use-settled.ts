import { useEffect, useState } from "react";

/**
 * What the promise resolves to; null until then. `use` would replace what is shown meanwhile, with
 * what a person has typed there.
 */
export function useSettled<T>(promise: Promise<T>): T | null {
  const [settled, setSettled] = useState<T | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void promise.then((value) => {
      if (isCurrent) setSettled(() => value);
    });
    return () => {
      isCurrent = false;
    };
  }, [promise]);
  return settled;
}
