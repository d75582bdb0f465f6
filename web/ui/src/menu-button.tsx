import { Button as AriaButton } from "react-aria-components";
import { type ButtonLook, buttonClass } from "./button";

export interface MenuButtonProps extends ButtonLook {
  readonly "aria-describedby"?: string;
}

/** A button in a MenuTrigger, which opens its menu. */
export function MenuButton({ children, look, size, icon, ...props }: MenuButtonProps) {
  return (
    <AriaButton {...props} className={buttonClass(look, size)}>
      {icon}
      <span>{children}</span>
    </AriaButton>
  );
}
