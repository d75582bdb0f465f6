import { useState } from "react";

/**
 * Holds which dialog is open. Each closes only itself, because the answer that it waits for may
 * come when the person has opened another.
 */
export function useDialog<T extends object>() {
  const [open, setOpen] = useState<T | null>(null);
  const show = (dialog: T) => setOpen(dialog);
  const close = () => setOpen((now) => (now === open ? null : now));
  return { open, show, close };
}
