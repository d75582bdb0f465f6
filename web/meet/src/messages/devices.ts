import i18next from "i18next";
import en from "./en-devices.json";

/** The devices' part of the message catalogue, loaded with them. */
export function startDevicesMessages(): void {
  i18next.addResourceBundle("en", "translation", en, true, true);
}
