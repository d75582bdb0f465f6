import { useTranslation } from "react-i18next";

/** Says in words why something about an account did not work. */
export function Problem({ code }: { readonly code: string }) {
  const { t, i18n } = useTranslation();
  const key = `account.problem.${code}`;
  return (
    <p className="account-problem" role="alert">
      {i18n.exists(key) ? t(key) : t("account.problem.other")}
    </p>
  );
}
