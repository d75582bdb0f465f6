import { type ReactNode, type Ref, useId } from "react";
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components";
import "./call-button.css";
import { Tip } from "./tip";

export interface CallButtonProps extends Omit<AriaButtonProps, "className" | "children" | "style"> {
  /** The accessible name, also shown under the icon if there is room. */
  readonly label: string;
  /** Shown in the tooltip: usually the keyboard shortcut. */
  readonly hint?: string;
  readonly icon: ReactNode;
  /**
   * `off`: a source that is switched off; `on`: something that is active; `leave`: the leave
   * button.
   */
  readonly look?: "plain" | "off" | "on" | "leave";
  readonly badge?: ReactNode;
  /** The meaning of the badge, for assistive technology. */
  readonly description?: string | null;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** A button of the meeting's toolbars. */
export function CallButton({
  label,
  hint,
  icon,
  look = "plain",
  badge,
  description = null,
  ...props
}: CallButtonProps) {
  const id = useId();
  return (
    <>
      <Tip text={hint ? `${label} (${hint})` : label}>
        <AriaButton
          {...props}
          {...(description === null ? {} : { "aria-describedby": id })}
          aria-label={label}
          className={`call-button call-button-${look}`}
        >
          <span className="call-button-face">
            {icon}
            {badge}
          </span>
          <span className="call-button-label" aria-hidden="true">
            {label}
          </span>
        </AriaButton>
      </Tip>
      {description === null ? null : (
        <span id={id} hidden>
          {description}
        </span>
      )}
    </>
  );
}
