import { Button } from "@conclave/ui/button";
import { TextField } from "@conclave/ui/text-field";
import { useFirstWrong } from "@conclave/ui/use-first-wrong";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { limits } from "../../member/limits";
import type { Outcome } from "../../member/outcome";
import type { Session } from "./account-service";
import { Problem } from "./problem";

export interface PasswordFormProps {
  readonly email: string;
  readonly change: (current: string, wanted: string) => Promise<Outcome<Session>>;
  /** The session ended before the form was sent. */
  readonly onSignedOut: () => void;
}

/** The two passwords that the person types, and what became of the last try to change. */
function usePasswordChange({ change, onSignedOut }: PasswordFormProps) {
  const [current, setCurrent] = useState("");
  const [wanted, setWanted] = useState("");
  const [tries, setTries] = useState(0);
  const form = useFirstWrong(tries);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const [isChanged, setChanged] = useState(false);
  const isMissing = current === "";
  const isShort = [...wanted].length < limits.shortestPassword;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTries(tries + 1);
    setChanged(false);
    const isSame = current !== "" && current === wanted;
    setRefusal(isSame ? "same_password" : null);
    if (isSame || isMissing || isShort || isAsking) return;
    setAsking(true);
    const outcome = await change(current, wanted);
    setAsking(false);
    if (outcome.ok) {
      setCurrent("");
      setWanted("");
      setTries(0);
      setChanged(true);
    } else if (outcome.code === "sign_in_required") onSignedOut();
    else setRefusal(refusalOf(outcome));
  };
  return {
    form,
    current,
    wanted,
    setCurrent,
    setWanted,
    isMissing: tries > 0 && isMissing,
    isTooShort: tries > 0 && isShort,
    refusal,
    isAsking,
    isChanged,
    submit,
  };
}

/** Changes the password of the signed-in person, who has to know the current one. */
export function PasswordForm(props: PasswordFormProps) {
  const { t } = useTranslation();
  const { form, current, wanted, refusal, isAsking, isChanged, ...typing } =
    usePasswordChange(props);
  return (
    <form
      ref={form}
      className="account-form"
      onSubmit={(event) => void typing.submit(event)}
      noValidate
    >
      <h2 className="account-subtitle">{t("account.changePassword")}</h2>
      {/* Password managers store the password with this address. */}
      <input type="hidden" name="email" autoComplete="username" value={props.email} />
      <TextField
        label={t("account.currentPassword")}
        type="password"
        name="current"
        autoComplete="current-password"
        value={current}
        onChange={typing.setCurrent}
        maxLength={limits.password}
        error={typing.isMissing ? t("account.currentMissing") : null}
      />
      <TextField
        label={t("account.nextPassword")}
        type="password"
        name="new"
        autoComplete="new-password"
        value={wanted}
        onChange={typing.setWanted}
        maxLength={limits.newPassword}
        error={typing.isTooShort ? t("account.short", { count: limits.shortestPassword }) : null}
      />
      <p className="account-note">{t("account.changeEnds")}</p>
      {refusal ? <Problem code={refusal} /> : null}
      <p className="account-changed" role="status">
        {isChanged ? t("account.changed") : ""}
      </p>
      <Button type="submit" look="primary" size="large" isBusy={isAsking}>
        {t("account.changePassword")}
      </Button>
    </form>
  );
}

function refusalOf({ code, param }: { readonly code: string; readonly param: string | null }) {
  if (param === "current_password") return "current_password";
  return param === "new_password" ? "password_refused" : code;
}
