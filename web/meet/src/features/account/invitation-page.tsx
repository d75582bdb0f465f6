import { Button } from "@conclave/ui/button";
import { TextField } from "@conclave/ui/text-field";
import { useFirstWrong } from "@conclave/ui/use-first-wrong";
import { Suspense, use, useState } from "react";
import { useTranslation } from "react-i18next";
import { limits } from "../../member/limits";
import type { Outcome } from "../../member/outcome";
import { AccountFrame } from "./account-frame";
import type { AccountService, Invitation } from "./account-service";
import { Problem } from "./problem";

export interface InvitationPageProps {
  readonly service: AccountService;
  readonly secret: string;
  readonly invitation: Promise<Outcome<Invitation>>;
  readonly goTo: (path: string) => void;
}

/** The page on which an invited person enters their name and chooses a password. */
export function InvitationPage(props: InvitationPageProps) {
  return (
    <Suspense fallback={null}>
      <Opened {...props} />
    </Suspense>
  );
}

function Opened(props: InvitationPageProps) {
  const { t } = useTranslation();
  const outcome = use(props.invitation);
  if (!outcome.ok) {
    return (
      <AccountFrame title={t("account.invitation")}>
        <Problem code={outcome.code} />
        <a href="/">{t("join.elsewhere")}</a>
      </AccountFrame>
    );
  }
  return <AcceptForm {...props} invited={outcome.value} />;
}

function AcceptForm(props: InvitationPageProps & { readonly invited: Invitation }) {
  const { service, secret, goTo, invited } = props;
  const { t } = useTranslation();
  const [name, setName] = useState(invited.name);
  const [password, setPassword] = useState("");
  const [tries, setTries] = useState(0);
  const form = useFirstWrong(tries);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const isNameless = name.trim() === "";
  const isShort = [...password].length < limits.shortestPassword;

  const submit = async () => {
    setTries(tries + 1);
    if (isNameless || isShort || isAsking) return;
    setAsking(true);
    setRefusal(null); // the same refusal is announced again
    const outcome = await service.accept(secret, name.trim(), password);
    setAsking(false);
    if (outcome.ok) goTo("/");
    else setRefusal(outcome.param === "password" ? "password_refused" : outcome.code);
  };

  return (
    <AccountFrame title={t("account.invitation")} form={form} onSubmit={() => void submit()}>
      <p className="account-note">{t("account.invited", { email: invited.email })}</p>
      {/* Password managers store the password with this address. */}
      <input type="hidden" name="email" autoComplete="username" value={invited.email} />
      <TextField
        label={t("join.name")}
        name="name"
        autoComplete="name"
        value={name}
        onChange={setName}
        maxLength={limits.personName}
        error={tries > 0 && isNameless ? t("join.nameMissing") : null}
        autoFocus
      />
      <TextField
        label={t("account.newPassword")}
        type="password"
        name="password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        maxLength={limits.newPassword}
        error={tries > 0 && isShort ? t("account.short", { count: limits.shortestPassword }) : null}
      />
      {refusal ? <Problem code={refusal} /> : null}
      <Button type="submit" look="primary" size="large" isBusy={isAsking}>
        {t("account.accept")}
      </Button>
    </AccountFrame>
  );
}
