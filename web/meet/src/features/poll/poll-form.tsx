import { type NewPoll, pollLimits, ServiceError } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { TextField } from "@conclave/ui/text-field";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Draft, emptyDraft, type Problems, read } from "./draft";
import { OptionLines } from "./option-lines";
import { PollSettings } from "./poll-settings";
import { useDraftProblem } from "./use-draft-problem";

type FailureText = "poll.failed" | "poll.tooMany";

/** Says what the host can do about it, where that is known. */
function failureText(error: unknown): FailureText {
  const isFull = error instanceof ServiceError && error.code === "limit_reached";
  return isFull ? "poll.tooMany" : "poll.failed";
}

export interface PollFormProps {
  /** Resolves when the service has the poll. */
  readonly onAsk: (poll: NewPoll) => Promise<void>;
  readonly onClose: () => void;
}

/** The draft of a poll, until the service has it. */
function useNewPoll({ onAsk, onClose }: PollFormProps) {
  const [draft, setDraft] = useState(emptyDraft);
  const [problems, setProblems] = useState<Problems | null>(null);
  const [state, setState] = useState<"writing" | "asking" | FailureText>("writing");

  const change = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }));
  const ask = async () => {
    const outcome = read(draft);
    if ("problems" in outcome) {
      setProblems(outcome.problems);
      return;
    }
    setProblems(null);
    setState("asking");
    try {
      await onAsk(outcome.poll);
      onClose();
    } catch (error) {
      setState(failureText(error));
    }
  };
  return { draft, problems, state, change, ask };
}

/** The form in which a host writes a poll. */
export function PollForm({ onAsk, onClose }: PollFormProps) {
  const { t } = useTranslation();
  const { draft, problems, state, change, ask } = useNewPoll({ onAsk, onClose });
  const form = useRef<HTMLFormElement>(null);
  // Moves the focus to the first field with a problem.
  useEffect(() => {
    if (problems) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [problems]);

  return (
    <form
      ref={form}
      className="poll-form"
      aria-label={t("poll.new")}
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
    >
      <TextField
        label={t("poll.question")}
        value={draft.question}
        onChange={(question) => change({ question })}
        error={useDraftProblem(problems?.question, pollLimits.question)}
        autoFocus
      />
      <OptionLines
        options={draft.options}
        problems={problems?.options ?? []}
        onChange={(options) => change({ options })}
      />
      <PollSettings draft={draft} onChange={change} />
      {state === "writing" || state === "asking" ? null : (
        <p className="poll-problem" role="alert">
          {t(state)}
        </p>
      )}
      <div className="poll-actions poll-form-foot">
        <Button look="primary" type="submit" isDisabled={state === "asking"}>
          {t("poll.start")}
        </Button>
        <Button look="quiet" onPress={onClose}>
          {t("cancel")}
        </Button>
      </div>
    </form>
  );
}
