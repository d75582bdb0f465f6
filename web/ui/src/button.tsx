import type { ReactNode } from "react";
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components";
import "./button.css";

export interface ButtonProps extends Omit<AriaButtonProps, "className" | "children" | "style"> {
  readonly children: ReactNode;
  /** A page has one primary button, for its main purpose. */
  readonly look?: "primary" | "plain" | "quiet" | "danger" | "quiet-danger";
  readonly size?: "medium" | "large";
  readonly icon?: ReactNode;
}

export function Button({ children, look = "plain", size = "medium", icon, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={`button button-${look} button-${size}`}>
      {icon}
      <span>{children}</span>
    </AriaButton>
  );
}
