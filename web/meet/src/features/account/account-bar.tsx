import { Button } from "@conclave/ui/button";
import { Suspense, use } from "react";
import { useTranslation } from "react-i18next";
import type { Outcome } from "../../member/outcome";
import type { AccountService, Session } from "./account-service";
import "./account.css";
import { Problem } from "./problem";
import { useSignOut } from "./use-sign-out";

export interface AccountBarProps {
  readonly service: AccountService;
  readonly session: Promise<Outcome<Session>>;
  readonly goTo: (path: string) => void;
}

/** Shows on the start page who is signed in, with a link to their account, or a link to sign in. */
export function AccountBar(props: AccountBarProps) {
  return (
    <Suspense fallback={<nav className="account-bar" />}>
      <WhoIsIn {...props} />
    </Suspense>
  );
}

function WhoIsIn({ service, session, goTo }: AccountBarProps) {
  const { t } = useTranslation();
  const outcome = use(session);
  const { refusal, isAsking, signOut } = useSignOut(
    () => service.signOut(),
    () => goTo("/"),
  );
  const account = outcome.ok ? outcome.value.account : null;
  if (account === null) {
    return (
      <nav className="account-bar">
        <a className="button button-quiet button-medium" href="/sign-in">
          {t("account.signIn")}
        </a>
      </nav>
    );
  }
  return (
    <>
      <nav className="account-bar">
        <a className="button button-quiet button-medium" href="/account">
          <bdi className="account-who">{account.name || account.email}</bdi>
        </a>
        <Button look="quiet" isBusy={isAsking} onPress={() => void signOut()}>
          {t("account.signOut")}
        </Button>
      </nav>
      {refusal ? <Problem code={refusal} /> : null}
    </>
  );
}
