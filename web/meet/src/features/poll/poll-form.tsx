import { type NewPoll, pollLimits, ServiceError } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { IconButton } from "@conclave/ui/icon-button";
import { RadioField } from "@conclave/ui/radio-field";
import { SelectField } from "@conclave/ui/select-field";
import { TextField } from "@conclave/ui/text-field";
import { Plus, X } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Draft, emptyDraft, type Problem, type Problems, read } from "./draft";

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

/** The form in which a host writes a poll. */
export function PollForm({ onAsk, onClose }: PollFormProps) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState(emptyDraft);
  const [problems, setProblems] = useState<Problems | null>(null);
  const [state, setState] = useState<"writing" | "asking" | FailureText>("writing");
  const form = useRef<HTMLFormElement>(null);
  // Moves the focus to the first field with a problem.
  useEffect(() => {
    if (problems) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [problems]);
  const change = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }));
  const setOption = (at: number, text: string) =>
    change({ options: draft.options.map((option, index) => (index === at ? text : option)) });

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
        error={useProblem(problems?.question, pollLimits.question)}
        autoFocus
      />
      {draft.options.map((option, index) => (
        <OptionLine
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is all that a line is.
          key={index}
          number={index + 1}
          value={option}
          problem={problems?.options[index]}
          onChange={(text) => setOption(index, text)}
          onRemove={
            draft.options.length > pollLimits.fewestOptions
              ? () => change({ options: draft.options.filter((_, at) => at !== index) })
              : null
          }
        />
      ))}
      {draft.options.length < pollLimits.mostOptions ? (
        <Button
          look="quiet"
          icon={<Plus size={20} />}
          onPress={() => change({ options: [...draft.options, ""] })}
        >
          {t("poll.addOption")}
        </Button>
      ) : null}
      <RadioField
        label={t("poll.kind")}
        value={draft.isMultiple ? "multiple" : "single"}
        options={[
          { value: "single", label: t("poll.one") },
          { value: "multiple", label: t("poll.several") },
        ]}
        onChange={(kind) => change({ isMultiple: kind === "multiple" })}
      />
      <Anonymous isOn={draft.isAnonymous} onChange={(isAnonymous) => change({ isAnonymous })} />
      <SelectField
        label={t("poll.show")}
        isLabelShown
        value={draft.results}
        options={[
          { value: "live", label: t("poll.results.live") },
          { value: "after_vote", label: t("poll.results.after_vote") },
          { value: "after_close", label: t("poll.results.after_close") },
        ]}
        onChange={(value) => change({ results: value as Draft["results"] })}
      />
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

interface OptionLineProps {
  readonly number: number;
  readonly value: string;
  readonly problem: Problem | null | undefined;
  readonly onChange: (text: string) => void;
  readonly onRemove: (() => void) | null;
}

function OptionLine({ number, value, problem, onChange, onRemove }: OptionLineProps) {
  const { t } = useTranslation();
  return (
    <div className="poll-line">
      <TextField
        label={t("poll.option", { number })}
        value={value}
        onChange={onChange}
        error={useProblem(problem, pollLimits.option)}
      />
      {onRemove ? (
        <IconButton
          label={t("poll.removeOption", { number })}
          icon={<X size={20} />}
          onPress={onRemove}
        />
      ) : null}
    </div>
  );
}

function useProblem(problem: Problem | null | undefined, limit: number): string | null {
  const { t } = useTranslation();
  return problem ? t(`poll.problem.${problem}`, { limit }) : null;
}

interface AnonymousProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Anonymous({ isOn, onChange }: AnonymousProps) {
  const { t } = useTranslation();
  const hint = useId();
  return (
    <div>
      <label className="poll-choice">
        <input
          type="checkbox"
          checked={isOn}
          aria-describedby={hint}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {t("poll.anonymous")}
      </label>
      <p className="poll-hint" id={hint}>
        {t("poll.anonymousHint")}
      </p>
    </div>
  );
}
