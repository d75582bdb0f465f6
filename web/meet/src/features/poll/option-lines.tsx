import { pollLimits } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { IconButton } from "@conclave/ui/icon-button";
import { TextField } from "@conclave/ui/text-field";
import { Plus, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Problem } from "./draft";
import { useDraftProblem } from "./use-draft-problem";

export interface OptionLinesProps {
  readonly options: readonly string[];
  /** By the place of the option. */
  readonly problems: readonly (Problem | null)[];
  readonly onChange: (options: readonly string[]) => void;
}

/** The options of a poll that is being written, one in each line. */
export function OptionLines({ options, problems, onChange }: OptionLinesProps) {
  const { t } = useTranslation();
  return (
    <>
      {options.map((option, index) => (
        <OptionLine
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is all that a line is.
          key={index}
          number={index + 1}
          value={option}
          problem={problems[index]}
          onChange={(text) => onChange(options.map((old, at) => (at === index ? text : old)))}
          onRemove={
            options.length > pollLimits.fewestOptions
              ? () => onChange(options.filter((_, at) => at !== index))
              : null
          }
        />
      ))}
      {options.length < pollLimits.mostOptions ? (
        <Button look="quiet" icon={<Plus size={20} />} onPress={() => onChange([...options, ""])}>
          {t("poll.addOption")}
        </Button>
      ) : null}
    </>
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
        error={useDraftProblem(problem, pollLimits.option)}
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
