import type { ReactNode } from "react";
import {
  TextField as AriaTextField,
  FieldError,
  Input,
  Label,
  TextArea,
} from "react-aria-components";
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

export function TextField(props: TextFieldProps) {
  const { label, value, onChange, maxLength, error, placeholder, autoFocus, autoComplete } = props;
  return (
    <AriaTextField
      className="text-field"
      value={value}
      onChange={onChange}
      isInvalid={Boolean(error)}
      // The form validates its fields itself. With native validation, the browser
      // would not submit an invalid form again, so it would never be checked again.
      validationBehavior="aria"
      isReadOnly={props.isReadOnly ?? false}
      {...(props.name === undefined ? {} : { name: props.name })}
      {...(props.type === undefined ? {} : { type: props.type })}
      {...(autoComplete === undefined ? {} : { autoComplete })}
      {...(maxLength === undefined ? {} : { maxLength })}
    >
      <Label className="text-field-label">{label}</Label>
      {/* Names may be left-to-right or right-to-left; the first strong letter decides. */}
      {props.isMultiline ? (
        <TextArea
          className="text-field-input text-field-lines"
          dir="auto"
          rows={3}
          placeholder={placeholder ?? ""}
        />
      ) : (
        <Input
          className="text-field-input"
          dir="auto"
          placeholder={placeholder ?? ""}
          autoFocus={autoFocus ?? false}
        />
      )}
      <FieldError className="text-field-error">{error}</FieldError>
    </AriaTextField>
  );
}
