import { type NewPoll, type PollResults, pollLimits, textLength } from "@conclave/client";

/** A poll that a host is writing. */
export interface Draft {
  readonly question: string;
  readonly options: readonly string[];
  readonly isMultiple: boolean;
  readonly isAnonymous: boolean;
  readonly results: PollResults;
}

export const emptyDraft: Draft = {
  question: "",
  options: ["", ""],
  isMultiple: false,
  isAnonymous: false,
  results: "live",
};

export type Problem = "missing" | "tooLong" | "twice";

/** The problems of a draft's fields; null for a field without one. */
export interface Problems {
  readonly question: Problem | null;
  readonly options: readonly (Problem | null)[];
}

/** The poll of a draft, or the draft's problems. Leaves out empty options. */
export function read(draft: Draft): { readonly poll: NewPoll } | { readonly problems: Problems } {
  const question = draft.question.trim();
  const lines = draft.options.map((option) => option.trim());
  const options = lines.filter((line) => line !== "");
  const problems: Problems = {
    question: judge(question, pollLimits.question),
    options: lines.map((line, index) => {
      // Only the first lines have to be filled in, and only if too few lines are.
      const isNeeded =
        options.length < pollLimits.fewestOptions && index < pollLimits.fewestOptions;
      if (line === "") return isNeeded ? "missing" : null;
      if (lines.indexOf(line) < index) return "twice";
      return judge(line, pollLimits.option);
    }),
  };
  if (problems.question !== null || problems.options.some((problem) => problem !== null)) {
    return { problems };
  }
  return {
    poll: {
      question,
      options,
      kind: draft.isMultiple ? "multiple" : "single",
      anonymous: draft.isAnonymous,
      results: draft.results,
    },
  };
}

function judge(text: string, limit: number): Problem | null {
  if (text === "") return "missing";
  return textLength(text) > limit ? "tooLong" : null;
}
