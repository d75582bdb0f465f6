import { usePageTitle } from "@conclave/ui/use-page-title";
import type { FormEvent, ReactNode, Ref } from "react";
import { useTranslation } from "react-i18next";
import "./account.css";

export interface AccountFrameProps {
  readonly title: string;
  /** Makes the whole card one form. */
  readonly onSubmit?: () => void;
  readonly form?: Ref<HTMLFormElement>;
  readonly children: ReactNode;
}

/** The layout of an account's pages. */
export function AccountFrame({ title, onSubmit, form, children }: AccountFrameProps) {
  const { t } = useTranslation();
  usePageTitle(title, t("product"));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  const card = (
    <>
      <h1 className="account-title">{title}</h1>
      {children}
    </>
  );
  return (
    <main className="account">
      <a className="account-home" href="/">
        {t("product")}
      </a>
      {onSubmit ? (
        <form ref={form} className="account-card" onSubmit={submit} noValidate>
          {card}
        </form>
      ) : (
        <div className="account-card">{card}</div>
      )}
    </main>
  );
}
