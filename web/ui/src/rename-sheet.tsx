import { type FormEvent, useState } from "react";
import { Button } from "./button";
import { Sheet } from "./sheet";
import { TextField } from "./text-field";
import "./rename-sheet.css";

export interface RenameSheetProps {
  readonly title: string;
  readonly closeLabel: string;
  /** The name of the field. */
  readonly label: string;
  /** What the person is told who enters nothing. */
  readonly missing: string;
  readonly saveLabel: string;
  readonly name: string;
  readonly maxLength: number;
  readonly autoComplete: "name" | "off";
  /** Resolves to what the person is told if it fails. */
  readonly rename: (name: string) => Promise<string | null>;
  readonly onClose: () => void;
}

/** Asks for another name of a person or a thing. */
export function RenameSheet(props: RenameSheetProps) {
  const { name, rename, onClose } = props;
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
    <Sheet title={props.title} closeLabel={props.closeLabel} isOpen isForm onClose={onClose}>
      <form className="rename-sheet" onSubmit={(event) => void submit(event)} noValidate>
        <TextField
          label={props.label}
          value={wanted}
          onChange={(value) => {
            setWanted(value);
            setEmpty(false);
          }}
          maxLength={props.maxLength}
          error={isEmpty ? props.missing : null}
          autoComplete={props.autoComplete}
          autoFocus
        />
        {problem === null ? null : (
          <p className="rename-sheet-problem" role="alert">
            {problem}
          </p>
        )}
        <div className="rename-sheet-actions">
          <Button type="submit" look="primary" size="large" isBusy={isAsking}>
            {props.saveLabel}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
