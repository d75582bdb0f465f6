import { useTranslation } from "react-i18next";
import type { Problem } from "./draft";

/** The text of a problem with a field; null without one. */
export function useDraftProblem(problem: Problem | null | undefined, limit: number): string | null {
  const { t } = useTranslation();
  return problem ? t(`poll.problem.${problem}`, { limit }) : null;
}
