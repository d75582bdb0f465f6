import type { Outcome, Session } from "../features/account/account-service";

/**
 * Makes this browser a device of the person who is signed in, so that end_to_end recordings from
 * now on are made for it, too. Nobody is asked or told: where it does not work, such a recording
 * says so when somebody plays it.
 */
export async function registerBrowser(session: Promise<Outcome<Session>>): Promise<void> {
  const outcome = await session;
  const account = outcome.ok ? outcome.value.account : null;
  if (account === null) return;
  await quiet();
  const [{ MemberService }, { MemberBrowser }] = await Promise.all([
    import("@conclave/client/recording/member-service"),
    import("@conclave/client/recording/own-device"),
  ]);
  const member = new MemberService({ baseUrl: window.location.origin });
  await new MemberBrowser(member, account.email).register();
}

/** Waits until the page has done what the person came for. */
function quiet(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve());
    else setTimeout(resolve, 1000); // Safari
  });
}
