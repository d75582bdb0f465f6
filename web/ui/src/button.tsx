import type { ReactNode } from "react";
import "./button.css";

export interface ButtonLook {
  readonly children: ReactNode;
  /**
   * A page has one primary button, for its main purpose. `quiet-danger` asks before it destroys
   * something, and `danger` does it.
   */
  readonly look?: "primary" | "plain" | "quiet" | "danger" | "quiet-danger";
  readonly size?: "medium" | "large";
  readonly icon?: ReactNode;
}

export interface ButtonProps extends ButtonLook {
  readonly onPress?: () => void;
  readonly type?: "button" | "submit";
  readonly isDisabled?: boolean;
  /**
   * It does what was asked, or may not be pressed yet, and a press does nothing meanwhile. It keeps
   * the focus, unlike a disabled one.
   */
  readonly isBusy?: boolean;
  readonly autoFocus?: boolean;
  readonly "aria-label"?: string;
  readonly "aria-describedby"?: string;
}

/**
 * A button of the browser. It needs no code of React Aria, because the page before a meeting waits
 * for all code that it uses. MenuButton looks the same and opens a menu.
 */
export function Button(props: ButtonProps) {
  const { children, look, size, icon, onPress, isDisabled, isBusy = false, ...others } = props;
  return (
    <button
      type="button"
      {...others}
      className={buttonClass(look, size)}
      disabled={isDisabled}
      aria-disabled={isBusy || undefined}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onPress?.();
      }}
    >
      {icon}
      <span>{children}</span>
    </button>
  );
}

/** The classes of a button with this look. */
export function buttonClass(look: ButtonLook["look"], size: ButtonLook["size"]): string {
  return `button button-${look ?? "plain"} button-${size ?? "medium"}`;
}
