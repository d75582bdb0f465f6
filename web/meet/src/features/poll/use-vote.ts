import { type Poll, ServiceError } from "@conclave/client";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";

/** What the person picks, from their last vote to the next one. */
export function useVote(poll: Poll, onVote: (choice: readonly string[]) => Promise<void>) {
  const { t } = useTranslation();
  const [picked, setPicked] = useState<readonly string[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const choice = poll.choice ?? [];
  const shown = picked ?? choice;

  const pick = (id: string, isPicked: boolean) => {
    if (poll.kind === "single") setPicked([id]);
    else setPicked(isPicked ? [...shown, id] : shown.filter((other) => other !== id));
  };
  const vote = async (event: Pick<FormEvent, "preventDefault">) => {
    event.preventDefault();
    setProblem(null);
    try {
      await onVote(poll.options.map(({ id }) => id).filter((id) => shown.includes(id)));
      // What the person has picked since stays, until they vote for it.
      setPicked((now) => (now === picked ? null : now));
    } catch (error) {
      setProblem(t(problemText(error)));
    }
  };
  return { choice, shown, isChanged: picked !== null, problem, pick, vote };
}

function problemText(error: unknown) {
  const code = error instanceof ServiceError ? error.code : "";
  switch (code) {
    case "poll_closed":
    case "voted_elsewhere":
    case "vote_counted":
      return `poll.refused.${code}` as const;
    default:
      return "poll.voteFailed" as const;
  }
}
