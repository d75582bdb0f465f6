import { useTranslation } from "react-i18next";

export interface Refusal {
  /** The service's code; see the meeting protocol. */
  readonly reason: string;
  readonly message: string | null;
}

/** The text of a refusal: from the message catalogue, or the service's own for other reasons. */
export function useRefusalText({ reason, message }: Refusal): { text: string; next: string } {
  const { t, i18n } = useTranslation();
  const key = i18n.exists(`refused.${reason}`) ? reason : "unknown";
  const text = key === "unknown" && message ? message : t(`refused.${key}`);
  return { text, next: t(`refused.${key}_next`) };
}
