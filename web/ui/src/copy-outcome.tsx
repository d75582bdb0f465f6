import { TextField } from "./text-field";
import type { Copied } from "./use-copy";
import "./copy-outcome.css";

export interface CopyOutcomeProps {
  readonly text: string;
  readonly outcome: Copied;
  readonly copiedLabel: string;
  /** Says that the person has to copy the text of this field. */
  readonly failedLabel: string;
}

/** Says that a text was copied, or shows it selected so that the person can copy it. */
export function CopyOutcome({ text, outcome, copiedLabel, failedLabel }: CopyOutcomeProps) {
  return (
    <>
      <span className="visually-hidden" role="status">
        {outcome === "copied" ? copiedLabel : ""}
      </span>
      {outcome === "failed" ? (
        <div className="copy-outcome" ref={selectField}>
          <TextField label={failedLabel} value={text} onChange={() => undefined} isReadOnly />
        </div>
      ) : null}
    </>
  );
}

function selectField(box: HTMLElement | null): void {
  const field = box?.querySelector("input");
  field?.focus();
  field?.select();
}
