import type { AccountService, Session } from "../features/account/account-service";
import type { Outcome } from "../member/outcome";

/** Who is signed in, for pages whose visitors may have recordings: registers their browser. */
export function registeredSession(
  service: Pick<AccountService, "session">,
): Promise<Outcome<Session>> {
  const session = service.session();
  void registerBrowser(session).catch(() => undefined);
  return session;
}

/**
 * Makes this browser a device of the signed-in person, so that later end_to_end recordings can be
 * opened in it. Happens silently: if it fails, the person learns so when they play such a
 * recording.
 */
async function registerBrowser(session: Promise<Outcome<Session>>): Promise<void> {
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

/** Waits until the page is idle, so that this does not delay what the person came for. */
function quiet(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve());
    else setTimeout(resolve, 1000); // Safari
  });
}
