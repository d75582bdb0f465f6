import { Button } from "@conclave/ui/button";
import { TextField } from "@conclave/ui/text-field";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import "./home.css";

export interface HomeProps {
  /** Goes to the room; false when this is neither a code nor a link of this service. */
  readonly onJoin: (codeOrLink: string) => boolean;
  /** Who is signed in, or the way to sign in. */
  readonly account: ReactNode;
}

/** The start page: the way into a room. */
export function Home({ onJoin, account }: HomeProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [isWrong, setWrong] = useState(false);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWrong(!onJoin(text));
  };

  return (
    <main className="home">
      <header className="home-head">
        <p className="wordmark">{t("product")}</p>
        {account}
      </header>
      <form className="home-card" onSubmit={submit} noValidate>
        <h1 className="home-title">{t("home.title")}</h1>
        <p className="home-lead">{t("home.lead")}</p>
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
          autoFocus
        />
        <Button type="submit" look="primary" size="large">
          {t("home.join")}
        </Button>
      </form>
    </main>
  );
}
