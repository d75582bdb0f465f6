import { useId } from "react";
import "./select-field.css";

export interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
  /** Shows the label to everyone; otherwise it is for assistive technology alone. */
  readonly isLabelShown?: boolean;
}

/** The platform's own select: the best one on every phone, and a combobox to everyone. */
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
