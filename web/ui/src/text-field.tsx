import { type ChangeEvent, type CompositionEvent, type ReactNode, useId, useRef } from "react";
import { limitText } from "./limit-text";
import "./text-field.css";

export interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** In code points, as everywhere in the service. */
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
  const { label, value, error, isMultiline, isReadOnly } = props;
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
    ...useLimit(props),
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
        <textarea {...field} className="text-field-input text-field-lines" rows={3} />
      ) : (
        <input
          {...field}
          className="text-field-input"
          type={props.type ?? "text"}
          // biome-ignore lint/a11y/noAutofocus: the page or the dialog is there to fill this field
          autoFocus={props.autoFocus}
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

type Field = HTMLInputElement | HTMLTextAreaElement;

/**
 * Tells of changes, without what is too long. While an input method composes, the text may be
 * longer, as with `maxlength`: taking something away would end the composition.
 */
function useLimit({ value, onChange, maxLength }: TextFieldProps) {
  const beforeComposition = useRef<string | null>(null);
  const limit = (field: Field, before: string) => {
    if (maxLength !== undefined) {
      const { text, caret } = limitText(
        before,
        { text: field.value, caret: field.selectionEnd },
        maxLength,
      );
      if (text !== field.value) {
        field.value = text;
        if (caret !== null) field.setSelectionRange(caret, caret);
      }
    }
    onChange(field.value);
  };
  return {
    onChange: ({ target }: ChangeEvent<Field>) => {
      if (beforeComposition.current === null) limit(target, value);
      else onChange(target.value);
    },
    onCompositionStart: () => {
      beforeComposition.current = value;
    },
    onCompositionEnd: ({ currentTarget }: CompositionEvent<Field>) => {
      const before = beforeComposition.current ?? value;
      beforeComposition.current = null;
      limit(currentTarget, before);
    },
  };
}
