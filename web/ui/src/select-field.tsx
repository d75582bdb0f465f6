import { type ReactNode, useId } from "react";
import "./select-field.css";

export interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
  /** Whether the label is visible; otherwise only assistive technology has it. */
  readonly isLabelShown?: boolean;
  /** Stands in the field, before the chosen option. */
  readonly icon?: ReactNode;
  /** What the chosen option means, if its label is not enough. */
  readonly hint?: string;
}

/** The browser's own select, which works best on phones and is an accessible combobox. */
export function SelectField(props: SelectFieldProps) {
  const { label, value, options, onChange, isLabelShown, icon, hint } = props;
  const id = useId();
  return (
    <div className="select-field">
      <label htmlFor={id} className={isLabelShown ? "select-field-label" : "visually-hidden"}>
        {label}
      </label>
      <div className="select-field-box">
        {icon ? (
          <span className="select-field-icon" aria-hidden="true">
            {icon}
          </span>
        ) : null}
        <select
          id={id}
          className={icon ? "select-field-input select-field-input-icon" : "select-field-input"}
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
      </div>
      {hint ? (
        <p id={`${id}-hint`} className="select-field-hint">
          {hint}
        </p>
      ) : null}
    </div>
  );
}
