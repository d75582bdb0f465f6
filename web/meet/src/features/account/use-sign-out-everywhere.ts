import type { AccountService } from "./account-service";
import { useSignOut } from "./use-sign-out";

/** The sign-in page, which leads back to the account page. */
export const toSignIn = "/sign-in?next=/account";

/**
 * Signs the person out everywhere, and keeps why that failed. If only this browser's session is
 * over, they sign in again first.
 */
export function useSignOutEverywhere(
  service: Pick<AccountService, "signOutEverywhere">,
  goTo: (path: string) => void,
) {
  return useSignOut(
    () => service.signOutEverywhere(),
    () => goTo("/"),
    () => goTo(toSignIn),
  );
}
