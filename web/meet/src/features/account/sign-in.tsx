import { withLinkSecret } from "@conclave/client/pre-join";
import { Button } from "@conclave/ui/button";
import { TextField } from "@conclave/ui/text-field";
import { Suspense, use, useState } from "react";
import { useTranslation } from "react-i18next";
import { limits } from "../../member/limits";
import type { Outcome } from "../../member/outcome";
import { AccountFrame } from "./account-frame";
import type { AccountService, Session } from "./account-service";
import { Problem } from "./problem";

export interface SignInProps {
  readonly service: AccountService;
  readonly session: Promise<Outcome<Session>>;
  /** Why signing in through the organisation failed, for a person who comes back from there. */
  readonly problem: string | null;
  /** The path to go on to. */
  readonly next: string;
  /** The secret part of the link that `next` leads to. It must not get into a request. */
  readonly linkSecret: string | null;
  readonly goTo: (path: string) => void;
}

/** What the person types to sign in, and why the last try failed. */
function useSigningIn({ service, problem, next, linkSecret, goTo }: SignInProps) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [refusal, setRefusal] = useState(problem);
  const [isAsking, setAsking] = useState(false);

  const submit = async () => {
    if (isAsking) return;
    if (email.trim() === "" || password === "") {
      setRefusal("parameter_missing");
      return;
    }
    setAsking(true);
    setRefusal(null); // the same refusal is announced again
    const outcome = await service.signIn(email, password);
    setAsking(false);
    if (outcome.ok) goTo(linkSecret === null ? next : withLinkSecret(next, linkSecret));
    else setRefusal(outcome.code);
  };
  return { email, password, setEmail, setPassword, refusal, isAsking, submit };
}

export function SignIn(props: SignInProps) {
  const { service, session, next, linkSecret } = props;
  const { t } = useTranslation();
  const { email, password, setEmail, setPassword, refusal, isAsking, submit } = useSigningIn(props);

  return (
    <AccountFrame title={t("account.signIn")} onSubmit={() => void submit()}>
      <TextField
        label={t("account.email")}
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        maxLength={limits.email}
        autoFocus
      />
      <TextField
        label={t("account.password")}
        type="password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        maxLength={limits.password}
      />
      {refusal ? <Problem code={refusal} /> : null}
      <Button type="submit" look="primary" size="large" isBusy={isAsking}>
        {t("account.signIn")}
      </Button>
      <Suspense fallback={null}>
        <ThroughOrganisation
          session={session}
          address={service.oidcAddress(next)}
          losesSecret={linkSecret !== null}
        />
      </Suspense>
      <p className="account-note">{t("account.forgotten")}</p>
    </AccountFrame>
  );
}

interface ThroughOrganisationProps {
  readonly session: Promise<Outcome<Session>>;
  readonly address: string;
  /** The way through the organisation's site leads back without what is behind the `#`. */
  readonly losesSecret: boolean;
}

function ThroughOrganisation({ session, address, losesSecret }: ThroughOrganisationProps) {
  const { t } = useTranslation();
  const outcome = use(session);
  if (!outcome.ok || !outcome.value.oidc) return null;
  return (
    <>
      <a className="button button-plain button-large" href={address}>
        {t("account.organisation")}
      </a>
      {losesSecret ? <p className="account-note">{t("account.openAgain")}</p> : null}
    </>
  );
}
