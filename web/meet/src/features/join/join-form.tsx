import { Button } from "@conclave/ui/button";
import { TextField } from "@conclave/ui/text-field";
import { useFirstWrong } from "@conclave/ui/use-first-wrong";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import "./home.css";

export interface JoinFormProps {
  /** Goes to the room; false if the text is neither a code nor a link of this service. */
  readonly onJoin: (codeOrLink: string) => boolean;
  /** The heading, where the form is the page's purpose. Without it, the form is one line. */
  readonly heading?: ReactNode;
}

/** The form to join a room by its code or link. */
export function JoinForm({ onJoin, heading }: JoinFormProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [isWrong, setWrong] = useState(false);
  const [tries, setTries] = useState(0);
  const form = useFirstWrong(tries);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWrong(!onJoin(text));
    setTries(tries + 1);
  };

  return (
    <form ref={form} className={heading ? "home-card" : "home-line"} onSubmit={submit} noValidate>
      {heading}
      <TextField
        label={t("home.field")}
        placeholder={t("home.placeholder")}
        value={text}
        onChange={(value) => {
          setText(value);
          setWrong(false);
        }}
        error={isWrong ? t("home.invalid") : null}
        autoComplete="off"
        autoFocus={Boolean(heading)}
      />
      <Button type="submit" look={heading ? "primary" : "plain"} size="large">
        {t("home.join")}
      </Button>
    </form>
  );
}
