import { useState } from "react";
import type { AccountService } from "./account-service";

/** The sign-in page, which leads back to the account page. */
export const toSignIn = "/sign-in?next=/account";

/**
 * Signs the person out everywhere, and keeps why that failed: they rely on it for lost devices. If
 * only this browser's session is over, they sign in again first.
 */
export function useSignOutEverywhere(
  service: Pick<AccountService, "signOutEverywhere">,
  goTo: (path: string) => void,
) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const signOut = async () => {
    if (isAsking) return;
    setAsking(true);
    setRefusal(null); // the same refusal is announced again
    const outcome = await service.signOutEverywhere();
    setAsking(false);
    if (outcome.ok) goTo("/");
    else if (outcome.code === "sign_in_required") goTo(toSignIn);
    else setRefusal(outcome.code);
  };
  return { refusal, isAsking, signOut };
}
