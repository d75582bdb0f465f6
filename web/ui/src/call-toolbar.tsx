import { type FocusEvent, type KeyboardEvent, type ReactNode, useRef } from "react";

export interface CallToolbarProps {
  readonly label: string;
  readonly className: string;
  readonly children: ReactNode;
}

/**
 * A toolbar of buttons: one stop of the Tab key, and the arrow keys lead from button to button.
 * Coming back with the keyboard leads to the button that had the focus last. Pressing a button
 * gives it the focus: React Aria's toolbar would give it to the one used before, so that a space
 * would mute or unmute the person.
 */
export function CallToolbar({ label, className, children }: CallToolbarProps) {
  const last = useRef<HTMLElement | null>(null);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { key, shiftKey, currentTarget, target } = event;
    // A menu's events come through here too.
    if (!(target instanceof HTMLElement) || !currentTarget.contains(target)) return;
    const buttons = buttonsIn(currentTarget);
    if (key === "Tab") {
      last.current = target;
      // The browser goes on from the button at the edge.
      buttons.at(shiftKey ? 0 : -1)?.focus();
      return;
    }
    const step = stepOf(key, currentTarget);
    if (step === 0) return;
    buttons[buttons.indexOf(target) + step]?.focus();
    event.stopPropagation();
    event.preventDefault();
  };

  const onFocus = ({ currentTarget, target, relatedTarget }: FocusEvent<HTMLElement>) => {
    if (!currentTarget.contains(target) || currentTarget.contains(relatedTarget)) return;
    const before = last.current;
    last.current = null;
    before?.focus();
  };

  const onBlur = ({ currentTarget, target, relatedTarget }: FocusEvent<HTMLElement>) => {
    if (!currentTarget.contains(relatedTarget)) last.current ??= target;
  };

  return (
    <div
      role="toolbar"
      aria-label={label}
      className={className}
      onKeyDownCapture={onKeyDown}
      onFocusCapture={onFocus}
      onBlurCapture={onBlur}
      onPointerDownCapture={() => {
        last.current = null;
      }}
    >
      {children}
    </div>
  );
}

function buttonsIn(toolbar: HTMLElement): readonly HTMLElement[] {
  return [...toolbar.querySelectorAll<HTMLElement>("button:enabled")];
}

/** How far an arrow key leads, in the order of the buttons. */
function stepOf(key: string, toolbar: HTMLElement): number {
  const isReversed = getComputedStyle(toolbar).direction === "rtl";
  if (key === "ArrowRight") return isReversed ? -1 : 1;
  if (key === "ArrowLeft") return isReversed ? 1 : -1;
  return 0;
}
