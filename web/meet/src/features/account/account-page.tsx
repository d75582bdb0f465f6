import { Button } from "@conclave/ui/button";
import { type ReactNode, Suspense, use, useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { Outcome } from "../../member/outcome";
import { AccountFrame } from "./account-frame";
import type { Account, AccountService, Session } from "./account-service";
import { PasswordForm } from "./password-form";
import { Problem } from "./problem";
import { toSignIn, useSignOutEverywhere } from "./use-sign-out-everywhere";

export interface AccountPageProps {
  readonly service: AccountService;
  readonly session: Promise<Outcome<Session>>;
  /** The person's calendars, shown once it is known who is signed in. */
  readonly calendars: ReactNode;
  /** The person's devices, by the e-mail address of their account. */
  readonly devices: (email: string) => ReactNode;
  readonly goTo: (path: string) => void;
}

/** The page on which people manage their own account. */
export function AccountPage(props: AccountPageProps) {
  return (
    <Suspense fallback={null}>
      <Opened {...props} />
    </Suspense>
  );
}

function Opened(props: AccountPageProps) {
  const { t } = useTranslation();
  const outcome = use(props.session);
  if (!outcome.ok) {
    return (
      <AccountFrame title={t("account.title")}>
        <Problem code={outcome.code} />
      </AccountFrame>
    );
  }
  const { account } = outcome.value;
  return account === null ? <ToSignIn {...props} /> : <Own {...props} account={account} />;
}

/** Sends a person who is not signed in to the sign-in page, and then back here. */
function ToSignIn({ goTo }: AccountPageProps) {
  useEffect(() => goTo(toSignIn), [goTo]);
  return null;
}

function Own(props: AccountPageProps & { readonly account: Account }) {
  const { service, goTo, account, calendars, devices } = props;
  const { t } = useTranslation();
  const { refusal, isAsking, signOut } = useSignOutEverywhere(service, goTo);
  return (
    <AccountFrame title={t("account.title")}>
      <div>
        <p className="account-name">
          <bdi>{account.name}</bdi>
        </p>
        <p className="account-note">{account.email}</p>
      </div>
      {account.has_password ? (
        <PasswordForm
          email={account.email}
          change={(current, wanted) => service.changePassword(current, wanted)}
          onSignedOut={() => goTo(toSignIn)}
        />
      ) : (
        <p className="account-note">{t("account.noPassword")}</p>
      )}
      <Suspense fallback={null}>{calendars}</Suspense>
      <Suspense fallback={null}>{devices(account.email)}</Suspense>
      {refusal ? <Problem code={refusal} /> : null}
      <Button isBusy={isAsking} onPress={() => void signOut()}>
        {t("account.signOutEverywhere")}
      </Button>
    </AccountFrame>
  );
}
