import i18next from "i18next";
import en from "./en-meeting.json";

/** The meeting's part of the message catalogue, loaded with it. */
export function startMeetingMessages(): void {
  i18next.addResourceBundle("en", "translation", en, true, true);
}
