import type { ReactNode } from "react";
import { Link as AriaLink, type LinkProps as AriaLinkProps } from "react-aria-components";
import "./icon-button.css";
import { Tip } from "./tip";

export interface IconLinkProps extends Omit<AriaLinkProps, "className" | "children" | "style"> {
  /** The accessible name, and the tooltip. */
  readonly label: string;
  readonly icon: ReactNode;
}

/** A link that is only an icon, and looks like an icon button. */
export function IconLink({ label, icon, ...props }: IconLinkProps) {
  return (
    <Tip text={label}>
      <AriaLink {...props} aria-label={label} className="icon-button icon-button-plain">
        {icon}
      </AriaLink>
    </Tip>
  );
}
