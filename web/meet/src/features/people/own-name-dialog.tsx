import { limits } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { Sheet } from "@conclave/ui/sheet";
import { TextField } from "@conclave/ui/text-field";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";

export interface OwnNameDialogProps {
  readonly name: string;
  /** Resolves to what the person is told if it fails. */
  readonly rename: (name: string) => Promise<string | null>;
  readonly onClose: () => void;
}

/** Asks for the person's own new name. */
export function OwnNameDialog({ name, rename, onClose }: OwnNameDialogProps) {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState(name);
  const [isAsking, setAsking] = useState(false);
  const [isEmpty, setEmpty] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const trimmed = wanted.trim();
    if (trimmed === "") return setEmpty(true);
    if (trimmed === name) return onClose();
    setProblem(null);
    setAsking(true);
    const refusal = await rename(trimmed);
    setAsking(false);
    if (refusal === null) onClose();
    else setProblem(refusal);
  };

  return (
    <Sheet
      title={t("people.choice.rename")}
      closeLabel={t("close")}
      isOpen
      isForm
      onClose={onClose}
    >
      <form className="people-rename" onSubmit={(event) => void submit(event)} noValidate>
        <TextField
          label={t("join.name")}
          value={wanted}
          onChange={(value) => {
            setWanted(value);
            setEmpty(false);
          }}
          maxLength={limits.personName}
          error={isEmpty ? t("join.nameMissing") : null}
          autoComplete="name"
          autoFocus
        />
        {problem ? (
          <p className="people-problem" role="alert">
            {problem}
          </p>
        ) : null}
        <div className="people-rename-actions">
          <Button type="submit" look="primary" isBusy={isAsking}>
            {t("people.save")}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
