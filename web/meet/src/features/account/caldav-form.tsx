import { Button } from "@conclave/ui/button";
import { TextField } from "@conclave/ui/text-field";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { limits } from "../../member/limits";
import type { Outcome } from "../../member/outcome";
import type { CalDavAccess, Connection } from "./calendar-service";
import { Problem } from "./problem";

export interface CalDavFormProps {
  readonly connect: (access: CalDavAccess) => Promise<Outcome<Connection>>;
}

const empty: CalDavAccess = { url: "", username: "", password: "" };

/** Connects a calendar on a CalDAV server. Shows only a button until the person presses it. */
export function CalDavForm({ connect }: CalDavFormProps) {
  const { t } = useTranslation();
  const { access, setAccess, wasOpen, close, refusal, isTrying, tryOut } = useConnecting(connect);

  if (access === null) {
    return (
      <Button onPress={() => setAccess(empty)} autoFocus={wasOpen}>
        {t("calendars.connect.caldav")}
      </Button>
    );
  }

  const submit = (event: FormEvent) => {
    event.preventDefault();
    void tryOut(access);
  };

  return (
    <form className="account-form" onSubmit={submit} noValidate>
      <h3 className="calendars-form-title">{t("calendars.connect.caldav")}</h3>
      <AccessFields access={access} onChange={setAccess} />
      <p className="account-note">{t("calendars.passwordNote")}</p>
      {refusal === "missing" ? (
        <p className="account-problem" role="alert">
          {t("calendars.missing")}
        </p>
      ) : null}
      {refusal && refusal !== "missing" ? <Problem code={refusal} /> : null}
      <p className="account-changed" role="status">
        {isTrying ? t("calendars.connecting") : ""}
      </p>
      <div className="calendars-actions">
        <Button onPress={close}>{t("calendars.cancel")}</Button>
        <Button type="submit" look="primary" isBusy={isTrying}>
          {t("calendars.connectNow")}
        </Button>
      </div>
    </form>
  );
}

/** What the person types of the calendar's server, and the try to connect with it. */
function useConnecting(connect: CalDavFormProps["connect"]) {
  /** Null until the person wants to connect a calendar. */
  const [access, setAccess] = useState<CalDavAccess | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isTrying, setTrying] = useState(false);
  /** Whether the form has been closed, so that the button that opens it has the focus again. */
  const [wasOpen, setWasOpen] = useState(false);
  /** Counts the tries and closings: an answer only concerns the form that still waits for it. */
  const turn = useRef(0);

  const close = () => {
    turn.current += 1;
    setAccess(null);
    setRefusal(null);
    setTrying(false);
    setWasOpen(true);
  };
  const tryOut = async (typed: CalDavAccess) => {
    if (isTrying) return;
    if (typed.url.trim() === "" || typed.username === "" || typed.password === "") {
      setRefusal("missing");
      return;
    }
    setRefusal(null);
    setTrying(true);
    turn.current += 1;
    const mine = turn.current;
    const outcome = await connect({ ...typed, url: typed.url.trim() });
    if (turn.current !== mine) return;
    setTrying(false);
    if (outcome.ok) close();
    else setRefusal(refusalOf(outcome));
  };
  return { access, setAccess, wasOpen, close, refusal, isTrying, tryOut };
}

interface AccessFieldsProps {
  readonly access: CalDavAccess;
  readonly onChange: (access: CalDavAccess) => void;
}

function AccessFields({ access, onChange }: AccessFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextField
        label={t("calendars.url")}
        name="caldav-url"
        placeholder={t("calendars.urlExample")}
        value={access.url}
        onChange={(url) => onChange({ ...access, url })}
        maxLength={limits.calendarUrl}
        autoComplete="off"
        autoFocus
      />
      <TextField
        label={t("calendars.username")}
        name="caldav-username"
        value={access.username}
        onChange={(username) => onChange({ ...access, username })}
        maxLength={limits.calendarUsername}
        autoComplete="off"
      />
      <TextField
        label={t("calendars.password")}
        type="password"
        name="caldav-password"
        value={access.password}
        onChange={(password) => onChange({ ...access, password })}
        maxLength={limits.calendarPassword}
        autoComplete="off"
      />
    </>
  );
}

function refusalOf({ code, param }: { readonly code: string; readonly param: string | null }) {
  if (param === "password") return "calendar_password";
  return param === "url" ? "calendar_url" : code;
}
