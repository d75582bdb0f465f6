import { useId } from "react";
import "./select-field.css";

export interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
  /** Whether the label is visible; otherwise only assistive technology has it. */
  readonly isLabelShown?: boolean;
  /** What the chosen option means, if its label is not enough. */
  readonly hint?: string;
}

/** The browser's own select, which works best on phones and is an accessible combobox. */
export function SelectField(props: SelectFieldProps) {
  const { label, value, options, onChange, isLabelShown, hint } = props;
  const id = useId();
  return (
    <div className="select-field">
      <label htmlFor={id} className={isLabelShown ? "select-field-label" : "visually-hidden"}>
        {label}
      </label>
      <select
        id={id}
        className="select-field-input"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        {...(hint ? { "aria-describedby": `${id}-hint` } : {})}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {hint ? (
        <p id={`${id}-hint`} className="select-field-hint">
          {hint}
        </p>
      ) : null}
    </div>
  );
}
