import { Button } from "@conclave/ui/button";
import { TextField } from "@conclave/ui/text-field";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import "./home.css";

export interface JoinFormProps {
  /** Goes to the room; false when this is neither a code nor a link of this service. */
  readonly onJoin: (codeOrLink: string) => boolean;
  /** What stands above the form where it is the page's purpose; without it, it is one line. */
  readonly heading?: ReactNode;
}

/** The way into a room whose code or link somebody has. */
export function JoinForm({ onJoin, heading }: JoinFormProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [isWrong, setWrong] = useState(false);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWrong(!onJoin(text));
  };

  return (
    <form className={heading ? "home-card" : "home-line"} onSubmit={submit} noValidate>
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
