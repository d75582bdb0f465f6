import i18next from "i18next";
import en from "./en-pages.json";

/** The part of the message catalogue for every page but a room's, loaded with these pages. */
export function startPageMessages(): void {
  i18next.addResourceBundle("en", "translation", en, true, true);
}
