import type { ReactElement } from "react";
import { Tooltip, TooltipTrigger } from "react-aria-components";
import "./tip.css";

/** A tooltip, shown on hover and on keyboard focus. */
export function Tip({
  text,
  children,
}: {
  readonly text: string;
  readonly children: ReactElement;
}) {
  return (
    <TooltipTrigger delay={500} closeDelay={0}>
      {children}
      <Tooltip className="tip" offset={8}>
        {text}
      </Tooltip>
    </TooltipTrigger>
  );
}
