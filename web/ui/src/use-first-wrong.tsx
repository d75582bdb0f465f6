import { type RefObject, useEffect, useRef } from "react";

/** Moves the focus to the first invalid field of a form, each time `tries` grows. */
export function useFirstWrong(tries: number): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (tries === 0) return;
    form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [tries]);
  return form;
}
