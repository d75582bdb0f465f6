import type { FormEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import "./account.css";

export interface AccountFrameProps {
  readonly title: string;
  readonly onSubmit?: () => void;
  readonly children: ReactNode;
}

/** The page around the forms of an account. */
export function AccountFrame({ title, onSubmit, children }: AccountFrameProps) {
  const { t } = useTranslation();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <main className="account">
      <a className="account-home" href="/">
        {t("product")}
      </a>
      <form className="account-card" onSubmit={submit} noValidate>
        <h1 className="account-title">{title}</h1>
        {children}
      </form>
    </main>
  );
}
