import { useState } from "react";
import type { Outcome } from "../../member/outcome";

/**
 * Signs the person out with one request at a time, and keeps why it failed. People who lost a
 * device or share one rely on this. `onNoSession` is called if this browser's session was over
 * already.
 */
export function useSignOut(
  request: () => Promise<Outcome<unknown>>,
  onSignedOut: () => void,
  onNoSession = onSignedOut,
) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const signOut = async () => {
    if (isAsking) return;
    setAsking(true);
    setRefusal(null); // the same refusal is announced again
    const outcome = await request();
    setAsking(false);
    if (outcome.ok) onSignedOut();
    else if (outcome.code === "sign_in_required") onNoSession();
    else setRefusal(outcome.code);
  };
  return { refusal, isAsking, signOut };
}
