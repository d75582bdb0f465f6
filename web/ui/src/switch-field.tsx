import { useId } from "react";
import "./switch-field.css";

export interface SwitchFieldProps {
  readonly label: string;
  /** An explanation, if the label is not enough. */
  readonly hint?: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** A switch that takes effect at once. */
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
