import { Minus, Plus } from "lucide-react";
import { NumberField as AriaNumberField, Button, Group, Input, Label } from "react-aria-components";
import "./number-field.css";
import "./text-field.css";

export interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
  readonly fewerLabel: string;
  readonly moreLabel: string;
}

/** A field for a small whole number, with buttons to step it. */
export function NumberField(props: NumberFieldProps) {
  const { label, value, min, max, onChange, fewerLabel, moreLabel } = props;
  return (
    <AriaNumberField
      className="text-field number-field"
      value={value}
      minValue={min}
      maxValue={max}
      step={1}
      onChange={(next) => onChange(Number.isNaN(next) ? min : next)}
      decrementAriaLabel={fewerLabel}
      incrementAriaLabel={moreLabel}
    >
      <Label className="text-field-label">{label}</Label>
      <Group className="number-field-group">
        <Button slot="decrement" className="number-field-step">
          <Minus size={16} />
        </Button>
        <Input className="number-field-input" />
        <Button slot="increment" className="number-field-step">
          <Plus size={16} />
        </Button>
      </Group>
    </AriaNumberField>
  );
}
