import { ScreenBlocked, ServiceError } from "@conclave/client";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";

export interface Failure {
  /** What the person is told about the last thing that did not work. */
  readonly text: string | null;
  /** Something the person asked for did not work. */
  readonly report: (error?: unknown) => void;
  readonly dismiss: () => void;
}

export function useFailure(): Failure {
  const textOf = useFailureText();
  const [text, setText] = useState<string | null>(null);
  const report = useCallback((error?: unknown) => setText(textOf(error)), [textOf]);
  return { text, report, dismiss: () => setText(null) };
}

/** Returns what the person is told when something did not work. */
export function useFailureText(): (error?: unknown) => string {
  const { t } = useTranslation();
  return useCallback((error?: unknown) => t(failureKey(error)), [t]);
}

/** The error codes that have a text of their own. */
const explained = [
  "room_locked",
  "breakout_already_open",
  "breakout_not_open",
  "breakout_not_yours",
  "last_breakout_room",
  "limit_reached",
  "return_not_allowed",
  "rate_limited",
] as const;

/** Says what the person can do about it, where that is known. */
function failureKey(error: unknown) {
  if (error instanceof ScreenBlocked) return "controls.screenBlocked";
  const code = error instanceof ServiceError ? error.code : null;
  const known = explained.find((one) => one === code);
  return known ? (`controls.refused.${known}` as const) : "controls.failed";
}
