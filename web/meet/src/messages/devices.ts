import i18next from "i18next";
import en from "./en-devices.json";

/** The part of the catalogue about somebody's own devices; it comes with them. */
export function startDevicesMessages(): void {
  i18next.addResourceBundle("en", "translation", en, true, true);
}
