import { type ReactNode, useId } from "react";
import "./text-field.css";

export interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly maxLength?: number;
  readonly error?: string | null;
  readonly placeholder?: string;
  readonly autoFocus?: boolean;
  /** Shows the value, which can only be changed elsewhere. */
  readonly isReadOnly?: boolean;
  readonly autoComplete?: string;
  readonly name?: string;
  readonly type?: "text" | "email" | "password" | "date" | "time";
  /** For a text of several lines. */
  readonly isMultiline?: boolean;
  readonly children?: ReactNode;
}

/** A field of the browser, without code of React Aria, for which pages would wait. */
export function TextField(props: TextFieldProps) {
  const { label, value, onChange, error, isMultiline, isReadOnly } = props;
  const id = useId();
  const errorId = `${id}-error`;
  const field = {
    id,
    value,
    // Names may be left-to-right or right-to-left; the first strong letter decides.
    dir: "auto",
    placeholder: props.placeholder,
    name: props.name,
    autoComplete: props.autoComplete,
    maxLength: props.maxLength,
    readOnly: isReadOnly,
    "aria-invalid": error ? true : undefined,
    "aria-describedby": error ? errorId : undefined,
  };
  return (
    <div className="text-field">
      <label className="text-field-label" htmlFor={id}>
        {label}
      </label>
      {isMultiline ? (
        <textarea
          {...field}
          className="text-field-input text-field-lines"
          rows={3}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <input
          {...field}
          className="text-field-input"
          type={props.type ?? "text"}
          // biome-ignore lint/a11y/noAutofocus: the page or the dialog is there to fill this field
          autoFocus={props.autoFocus}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      {error ? (
        <span className="text-field-error" id={errorId}>
          {error}
        </span>
      ) : null}
    </div>
  );
}
