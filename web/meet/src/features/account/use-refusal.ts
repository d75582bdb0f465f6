import { useEffect } from "react";

/**
 * What to say of a refusal. A person who has to sign in again is led there instead, and nothing is
 * said.
 */
export function useRefusal(code: string | null, onSignedOut: () => void): string | null {
  const isSignedOut = code === "sign_in_required";
  useEffect(() => {
    if (isSignedOut) onSignedOut();
  }, [isSignedOut, onSignedOut]);
  return isSignedOut ? null : code;
}
