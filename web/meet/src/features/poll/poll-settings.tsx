import { RadioField } from "@conclave/ui/radio-field";
import { SelectField } from "@conclave/ui/select-field";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { Draft } from "./draft";

export interface PollSettingsProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** How people vote in a poll that is being written, and who sees what. */
export function PollSettings({ draft, onChange }: PollSettingsProps) {
  const { t } = useTranslation();
  return (
    <>
      <RadioField
        label={t("poll.kind")}
        value={draft.isMultiple ? "multiple" : "single"}
        options={[
          { value: "single", label: t("poll.one") },
          { value: "multiple", label: t("poll.several") },
        ]}
        onChange={(kind) => onChange({ isMultiple: kind === "multiple" })}
      />
      <Anonymous isOn={draft.isAnonymous} onChange={(isAnonymous) => onChange({ isAnonymous })} />
      <SelectField
        label={t("poll.show")}
        isLabelShown
        value={draft.results}
        options={[
          { value: "live", label: t("poll.results.live") },
          { value: "after_vote", label: t("poll.results.after_vote") },
          { value: "after_close", label: t("poll.results.after_close") },
        ]}
        onChange={(value) => onChange({ results: value as Draft["results"] })}
      />
    </>
  );
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
