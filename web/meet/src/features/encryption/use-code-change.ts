import { useState } from "react";

export interface CodeChange {
  /** Whether the code changed after it appeared, or after the person compared it. */
  readonly hasChanged: boolean;
  /** The person has compared the code. */
  readonly compared: () => void;
}

/** Follows a code that people may be reading to one another; null while there is nobody else. */
export function useCodeChange(code: string | null): CodeChange {
  const [last, setLast] = useState(code);
  const [hasChanged, setChanged] = useState(false);
  if (last !== code) {
    setLast(code);
    setChanged(last !== null && code !== null);
  }
  return { hasChanged, compared: () => setChanged(false) };
}
