import { useCallback, useState } from "react";

/**
 * Holds which dialog is open, and what it is about. Each closes only itself, because the answer that
 * it waits for may come when the person has opened another, or the same one again.
 * `show` is the same function in every render.
 */
export function useDialog<T>() {
  const [open, setOpen] = useState<{ readonly about: T } | null>(null);
  const show = useCallback((about: T) => setOpen({ about }), []);
  const close = () => setOpen((now) => (now === open ? null : now));
  return { open: open?.about ?? null, show, close };
}
