import { Button } from "@conclave/ui/button";
import { Sheet } from "@conclave/ui/sheet";
import { TextField } from "@conclave/ui/text-field";
import type { Phrase } from "@conclave/ui/when";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { limits } from "../../member/limits";

export interface TitleDialogProps {
  readonly title: string;
  /** Resolves to the problem, if renaming failed. */
  readonly rename: (title: string) => Promise<Phrase | null>;
  readonly onClose: () => void;
}

/** Asks for a recording's new title. */
export function TitleDialog({ title, rename, onClose }: TitleDialogProps) {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState(title);
  const [isAsking, setAsking] = useState(false);
  const [isEmpty, setEmpty] = useState(false);
  const [problem, setProblem] = useState<Phrase | null>(null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const trimmed = wanted.trim();
    if (trimmed === "") return setEmpty(true);
    if (trimmed === title) return onClose();
    setAsking(true);
    const refusal = await rename(trimmed);
    setAsking(false);
    if (refusal === null) onClose();
    else setProblem(refusal);
  };

  return (
    <Sheet title={t("recordings.rename")} closeLabel={t("close")} isOpen isForm onClose={onClose}>
      <form className="recordings-form" onSubmit={(event) => void submit(event)} noValidate>
        <TextField
          label={t("recordings.newTitle")}
          value={wanted}
          onChange={(value) => {
            setWanted(value);
            setEmpty(false);
          }}
          maxLength={limits.recordingTitle}
          autoComplete="off"
          error={isEmpty ? t("recordings.titleMissing") : null}
          autoFocus
        />
        {problem ? (
          <p className="member-failure" role="alert">
            {t(problem.key, problem.values)}
          </p>
        ) : null}
        <div className="recordings-form-actions">
          <Button type="submit" look="primary" size="large" isBusy={isAsking}>
            {t("recordings.save")}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
