import i18next from "i18next";
import en from "./en-dashboard.json";

/** The dashboard's part of the message catalogue, loaded with it. */
export function startDashboardMessages(): void {
  i18next.addResourceBundle("en", "translation", en, true, true);
}
