import { Button } from "@conclave/ui/button";
import { usePageTitle } from "@conclave/ui/use-page-title";
import { MapPinOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import "./refused.css";

/** The page for an address that does not exist. */
export function MissingPage({ onHome }: { readonly onHome: () => void }) {
  const { t } = useTranslation();
  const title = t("missing.title");
  usePageTitle(title, t("product"));
  return (
    <main className="refused">
      <MapPinOff size={40} aria-hidden="true" />
      <h1 className="refused-title">{title}</h1>
      <p className="refused-next">{t("missing.next")}</p>
      <div className="refused-actions">
        <Button look="primary" onPress={onHome}>
          {t("join.elsewhere")}
        </Button>
      </div>
    </main>
  );
}
