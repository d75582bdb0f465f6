import { type NewPoll, pollLimits, ServiceError } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { TextField } from "@conclave/ui/text-field";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Draft, type Problems, read } from "./draft";
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
  readonly draft: Draft;
  /** False if the poll was begun before, and only its panel was opened again. */
  readonly takesFocus: boolean;
  readonly onChange: (change: Partial<Draft>) => void;
  /** Resolves when the service has the poll, and the form is closed. */
  readonly onAsk: (poll: NewPoll) => Promise<void>;
  readonly onCancel: () => void;
}

/** Starts a poll, or says what is missing. */
function useStarting({ draft, onAsk }: Pick<PollFormProps, "draft" | "onAsk">) {
  const [problems, setProblems] = useState<Problems | null>(null);
  const [state, setState] = useState<"writing" | "asking" | FailureText>("writing");

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
    } catch (error) {
      setState(failureText(error));
    }
  };
  return { problems, state, ask };
}

/** The form in which a host writes a poll. */
export function PollForm({ draft, takesFocus, onChange, onAsk, onCancel }: PollFormProps) {
  const { t } = useTranslation();
  const { problems, state, ask } = useStarting({ draft, onAsk });
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
        onChange={(question) => onChange({ question })}
        error={useDraftProblem(problems?.question, pollLimits.question)}
        autoFocus={takesFocus}
      />
      <OptionLines
        options={draft.options}
        problems={problems?.options ?? []}
        onChange={(options) => onChange({ options })}
      />
      <PollSettings draft={draft} onChange={onChange} />
      {state === "writing" || state === "asking" ? null : (
        <p className="poll-problem" role="alert">
          {t(state)}
        </p>
      )}
      <div className="poll-actions poll-form-foot">
        <Button look="primary" type="submit" isBusy={state === "asking"}>
          {t("poll.start")}
        </Button>
        <Button look="quiet" onPress={onCancel}>
          {t("cancel")}
        </Button>
      </div>
    </form>
  );
}
