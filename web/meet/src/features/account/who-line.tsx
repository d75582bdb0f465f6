import { withLinkSecret } from "@conclave/client/pre-join";
import { Button } from "@conclave/ui/button";
import { Suspense, use } from "react";
import { useTranslation } from "react-i18next";
import type { Outcome } from "../../member/outcome";
import type { AccountService, Session } from "./account-service";
import "./account.css";
import { Problem } from "./problem";
import { useSignOut } from "./use-sign-out";

export interface WhoLineProps {
  readonly service: AccountService;
  readonly session: Promise<Outcome<Session>>;
  readonly onSignedOut: () => void;
}

/** Shows before a meeting under which name the person joins, and lets them sign out. */
export function WhoLine(props: WhoLineProps) {
  return (
    <div className="account-line">
      <Suspense fallback={null}>
        <SignedInAs {...props} />
      </Suspense>
    </div>
  );
}

function SignedInAs({ service, session, onSignedOut }: WhoLineProps) {
  const { t } = useTranslation();
  const outcome = use(session);
  const { refusal, isAsking, signOut } = useSignOut(() => service.signOut(), onSignedOut);
  const account = outcome.ok ? outcome.value.account : null;
  if (account === null) return null;
  return (
    <>
      <p className="account-line-text">{t("account.signedInAs", { email: account.email })}</p>
      <p className="account-line-text">
        {t("account.notYou")}{" "}
        <Button look="quiet" isBusy={isAsking} onPress={() => void signOut()}>
          {t("account.signOut")}
        </Button>
      </p>
      {refusal ? <Problem code={refusal} /> : null}
    </>
  );
}

export interface SignInLinkProps {
  /** Where to come back to, and the secret part of the link that leads there. */
  readonly next: string;
  readonly linkSecret: string | null;
}

/** A small link to sign in and come back to `next`. */
export function SignInLine(props: SignInLinkProps) {
  const { t } = useTranslation();
  return (
    <p className="account-line account-line-text">
      {t("account.have")} <a href={signInPath(props)}>{t("account.signIn")}</a>
    </p>
  );
}

/** A link to sign in that looks like a button, beside the other button. */
export function SignInButton(props: SignInLinkProps) {
  const { t } = useTranslation();
  return (
    <a className="button button-plain button-large account-sign-in" href={signInPath(props)}>
      {t("account.signIn")}
    </a>
  );
}

function signInPath({ next, linkSecret }: SignInLinkProps): string {
  // A path may be in a query unescaped, which is easier to read.
  const path = `/sign-in?next=${encodeURIComponent(next).replaceAll("%2F", "/")}`;
  return linkSecret === null ? path : withLinkSecret(path, linkSecret);
}
