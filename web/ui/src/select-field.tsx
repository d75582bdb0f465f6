import { useId } from "react";
import "./select-field.css";

export interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
  /** Whether the label is visible; otherwise only assistive technology has it. */
  readonly isLabelShown?: boolean;
}

/** The browser's own select, which works best on phones and is an accessible combobox. */
export function SelectField({ label, value, options, onChange, isLabelShown }: SelectFieldProps) {
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
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}
