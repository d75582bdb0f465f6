import i18next from "i18next";
import en from "./en-dashboard.json";

/** The part of the catalogue that only members need; it comes with their page. */
export function startDashboardMessages(): void {
  i18next.addResourceBundle("en", "translation", en, true, true);
}
