import i18next from "i18next";
import en from "./en-workspace.json";

/** The messages of a workspace's page, loaded with it. */
export function startWorkspaceMessages(): void {
  i18next.addResourceBundle("en", "translation", en, true, true);
}
