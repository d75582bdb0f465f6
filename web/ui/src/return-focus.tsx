import { useEffect, useState } from "react";

/**
 * Inside a dialog: gives the focus back to what had it before, when the dialog closes. React Aria
 * does so too, but at times a moment before the page behind the dialog can be focused again.
 */
export function ReturnFocus() {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      setTimeout(() => {
        const isLost = document.activeElement === document.body;
        if (isLost && before instanceof HTMLElement) before.focus();
      });
    },
    [before],
  );
  return null;
}
