import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import en from "./en.json";

/**
 * Loads the message catalogue, which has every text of the interface; parts of it come with the
 * pages that need them. Other languages are other files.
 */
export function startMessages(): void {
  void i18next.use(initReactI18next).init({
    lng: "en",
    resources: { en: { translation: en } },
    interpolation: { escapeValue: false }, // React escapes.
    initAsync: false,
  });
}
