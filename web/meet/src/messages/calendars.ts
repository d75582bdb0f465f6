import i18next from "i18next";
import en from "./en-calendars.json";

/** The calendars' part of the message catalogue, loaded with them. */
export function startCalendarMessages(): void {
  i18next.addResourceBundle("en", "translation", en, true, true);
}
