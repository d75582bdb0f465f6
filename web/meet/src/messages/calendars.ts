import i18next from "i18next";
import en from "./en-calendars.json";

/** The part of the catalogue about somebody's own calendars; it comes with them. */
export function startCalendarMessages(): void {
  i18next.addResourceBundle("en", "translation", en, true, true);
}
