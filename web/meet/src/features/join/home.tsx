import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { JoinForm } from "./join-form";
import "./home.css";

export interface HomeProps {
  /** Goes to the room; false if the text is neither a code nor a link of this service. */
  readonly onJoin: (codeOrLink: string) => boolean;
  /** Shows who is signed in, or a link to sign in. */
  readonly account: ReactNode;
}

/** The start page of a visitor, with the form to join a room. */
export function Home({ onJoin, account }: HomeProps) {
  const { t } = useTranslation();
  const heading = (
    <>
      <h1 className="home-title">{t("home.title")}</h1>
      <p className="home-lead">{t("home.lead")}</p>
    </>
  );
  return (
    <main className="home">
      <header className="home-head">
        <p className="wordmark">{t("product")}</p>
        {account}
      </header>
      <JoinForm onJoin={onJoin} heading={heading} />
    </main>
  );
}
