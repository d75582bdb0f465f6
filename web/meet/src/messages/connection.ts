import i18next from "i18next";
import en from "./en-connection.json";

/** The connection test's part of the message catalogue, loaded with it. */
export function startConnectionMessages(): void {
  i18next.addResourceBundle("en", "translation", en, true, true);
}
