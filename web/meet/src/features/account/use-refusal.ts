import { useEffect } from "react";

/**
 * What to say of a refusal: nothing of one for which the person has to sign in again, to which it
 * leads them.
 */
export function useRefusal(code: string | null, onSignedOut: () => void): string | null {
  const isSignedOut = code === "sign_in_required";
  useEffect(() => {
    if (isSignedOut) onSignedOut();
  }, [isSignedOut, onSignedOut]);
  return isSignedOut ? null : code;
}
