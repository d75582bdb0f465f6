import { useId } from "react";
import "./radio-field.css";

export interface RadioFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
    /** An explanation, if the label is not enough. */
    readonly hint?: string;
  }[];
  readonly onChange: (value: string) => void;
}

/** A choice of one among a few visible options, with the browser's own radio buttons. */
export function RadioField({ label, value, options, onChange }: RadioFieldProps) {
  const id = useId();
  return (
    <fieldset className="radio-field">
      <legend className="radio-field-label">{label}</legend>
      {options.map((option) => (
        <div key={option.value} className="radio-field-option">
          <input
            id={`${id}-${option.value}`}
            type="radio"
            className="radio-field-input"
            name={id}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            {...(option.hint ? { "aria-describedby": `${id}-${option.value}-hint` } : {})}
          />
          <div>
            <label htmlFor={`${id}-${option.value}`}>{option.label}</label>
            {option.hint ? (
              <p id={`${id}-${option.value}-hint`} className="radio-field-hint">
                {option.hint}
              </p>
            ) : null}
          </div>
        </div>
      ))}
    </fieldset>
  );
}
