import { useId } from "react";
import "./switch-field.css";

export interface SwitchFieldProps {
  readonly label: string;
  /** What it does, where the label does not say it all. */
  readonly hint?: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** Something that is on or off, and changes at once. */
export function SwitchField({ label, hint, isOn, onChange }: SwitchFieldProps) {
  const id = useId();
  return (
    <div className="switch-field">
      <div className="switch-field-text">
        <label htmlFor={id}>{label}</label>
        {hint ? (
          <p id={`${id}-hint`} className="switch-field-hint">
            {hint}
          </p>
        ) : null}
      </div>
      <input
        id={id}
        type="checkbox"
        role="switch"
        className="switch-field-input"
        checked={isOn}
        aria-checked={isOn}
        onChange={(event) => onChange(event.currentTarget.checked)}
        {...(hint ? { "aria-describedby": `${id}-hint` } : {})}
      />
    </div>
  );
}
