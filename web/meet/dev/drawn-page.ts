import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import en from "../src/messages/en.json";
import { startMessages } from "../src/messages/i18n";

/** The texts of the buttons of a page, in their order, as the catalogue has them. */
export function buttonsOf(page: ReactElement): readonly (string | undefined)[] {
  startMessages();
  const buttons = renderToStaticMarkup(page).matchAll(/<button.*?<span>(.*?)<\/span><\/button>/g);
  return [...buttons].map(([, text]) => text);
}

/** Every refusal for which the catalogue has a text. */
export const knownRefusals: readonly string[] = Object.keys(en.refused).filter(
  (key) => !key.endsWith("_next"),
);
