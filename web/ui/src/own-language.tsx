import type { ReactNode } from "react";
import { I18nProvider } from "react-aria-components/I18nProvider";

export interface OwnLanguageProps {
  /** The language of the message catalogue. */
  readonly language: string;
  readonly children: ReactNode;
}

/**
 * Sets the language of the components of React Aria inside it. Without it, their own words and the
 * direction would be those of the browser.
 */
export function OwnLanguage({ language, children }: OwnLanguageProps) {
  return <I18nProvider locale={language}>{children}</I18nProvider>;
}
