import { useTranslation } from "react-i18next";

/** Says why a request about an account failed. */
export function Problem({ code }: { readonly code: string }) {
  const { t, i18n } = useTranslation();
  const key = `account.problem.${code}`;
  return (
    <p className="account-problem" role="alert">
      {i18n.exists(key) ? t(key) : t("account.problem.other")}
    </p>
  );
}
