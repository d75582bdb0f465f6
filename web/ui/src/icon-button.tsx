import type { ReactNode } from "react";
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components";
import "./icon-button.css";
import { Tip } from "./tip";

export interface IconButtonProps extends Omit<AriaButtonProps, "className" | "children" | "style"> {
  /** The accessible name, and the tooltip. */
  readonly label: string;
  /** A shorter tooltip, where the name says what the eye sees anyway. */
  readonly tip?: string;
  readonly icon: ReactNode;
  /** `danger`: destroys something. */
  readonly look?: "plain" | "over-video" | "danger";
}

/** A small button that is only an icon. */
export function IconButton({
  label,
  tip = label,
  icon,
  look = "plain",
  ...props
}: IconButtonProps) {
  return (
    <Tip text={tip}>
      <AriaButton {...props} aria-label={label} className={`icon-button icon-button-${look}`}>
        {icon}
      </AriaButton>
    </Tip>
  );
}
