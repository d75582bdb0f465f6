import i18next from "i18next";
import en from "./en-recordings.json";

/** The recordings' part of the message catalogue, loaded with them. */
export function startRecordingsMessages(): void {
  i18next.addResourceBundle("en", "translation", en, true, true);
}
