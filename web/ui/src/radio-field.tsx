import { Label, Radio, RadioGroup } from "react-aria-components";
import "./radio-field.css";

export interface RadioFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
    readonly hint?: string;
  }[];
  readonly onChange: (value: string) => void;
}

/** One of a few, all of them to be seen. */
export function RadioField({ label, value, options, onChange }: RadioFieldProps) {
  return (
    <RadioGroup className="radio-field" value={value} onChange={onChange}>
      <Label className="radio-field-label">{label}</Label>
      {options.map((option) => (
        <Radio
          key={option.value}
          value={option.value}
          className="radio-field-option"
          aria-label={option.label}
          {...(option.hint ? { "aria-description": option.hint } : {})}
        >
          <span className="radio-field-mark" aria-hidden="true" />
          <span className="radio-field-text">
            <span>{option.label}</span>
            {option.hint ? <span className="radio-field-hint">{option.hint}</span> : null}
          </span>
        </Radio>
      ))}
    </RadioGroup>
  );
}
