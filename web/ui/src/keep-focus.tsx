/**
 * Gives an element the focus when the control in it that had the focus goes away or is disabled, for
 * example because it did its work. Otherwise the focus would be nowhere, and the keyboard would begin
 * at the top of the page. The focus may go to another element instead: `heir`. Returns a function
 * that ends this.
 */
export function keepFocusIn(element: HTMLElement, heir = element): () => void {
  const { activeElement: now } = document;
  let focused = element.contains(now) ? now : null;
  const isUsable = (control: Element) => control.isConnected && !control.matches(":disabled");

  const onFocus = ({ target }: FocusEvent) => {
    focused = target instanceof Element ? target : null;
  };
  // Some browsers say this of a control that goes away, too: look when that has happened.
  const onBlur = () => {
    setTimeout(() => {
      const hasLeft = focused !== null && document.activeElement !== focused;
      if (hasLeft && focused && isUsable(focused)) focused = null;
    });
  };
  const observer = new MutationObserver(() => {
    if (focused === null || isUsable(focused)) return;
    const { activeElement } = document;
    const isNowhere = activeElement === document.body || activeElement === focused;
    focused = null;
    if (isNowhere) heir.focus({ preventScroll: heir !== element });
  });

  element.addEventListener("focusin", onFocus);
  element.addEventListener("focusout", onBlur);
  observer.observe(element, { childList: true, subtree: true, attributeFilter: ["disabled"] });
  return () => {
    observer.disconnect();
    element.removeEventListener("focusin", onFocus);
    element.removeEventListener("focusout", onBlur);
  };
}

/** The same as a `ref`. */
export function keepFocus(element: HTMLElement | null): (() => void) | undefined {
  return element ? keepFocusIn(element) : undefined;
}
