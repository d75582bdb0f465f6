import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import en from "./en.json";

/** Every string of the interface is in the catalogue; another language is another file like it. */
export function startMessages(): void {
  void i18next.use(initReactI18next).init({
    lng: "en",
    resources: { en: { translation: en } },
    interpolation: { escapeValue: false }, // React escapes.
    initAsync: false,
  });
}
