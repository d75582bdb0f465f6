import { useState } from "react";

/** Copies a text; `isCopied` is true for a moment afterwards. */
export function useCopy(text: string): { readonly isCopied: boolean; readonly copy: () => void } {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 3000);
  };
  return { isCopied, copy: () => void copy().catch(() => setCopied(false)) };
}
