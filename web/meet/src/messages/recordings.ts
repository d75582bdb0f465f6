import i18next from "i18next";
import en from "./en-recordings.json";

/** The part of the catalogue about recordings; it comes with their page. */
export function startRecordingsMessages(): void {
  i18next.addResourceBundle("en", "translation", en, true, true);
}
