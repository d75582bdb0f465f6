/**
 * Gives an element the focus when the control in it that had the focus goes away or is disabled, for
 * example because it did its work. Otherwise the focus would be nowhere, and the keyboard would begin
 * at the top of the page. The focus may go to another element instead: `heir`. Elements that keep the
 * focus may contain each other; the innermost that is still there gets it. Returns a function that
 * ends this.
 */
export function keepFocusIn(element: HTMLElement, heir = element): () => void {
  const { activeElement: now } = document;
  element.dataset["keepsFocus"] = "";
  let focused = element.contains(now) ? now : null;
  let innermost = innermostAround(focused);
  const isUsable = (control: Element) => control.isConnected && !control.matches(":disabled");

  const onFocus = ({ target }: FocusEvent) => {
    focused = target instanceof Element ? target : null;
    innermost = innermostAround(focused);
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
    const isOurs = innermost === element || innermost?.isConnected === false;
    focused = null;
    if (isNowhere && isOurs) heir.focus({ preventScroll: heir !== element });
  });

  element.addEventListener("focusin", onFocus);
  element.addEventListener("focusout", onBlur);
  observer.observe(element, { childList: true, subtree: true, attributeFilter: ["disabled"] });
  return () => {
    observer.disconnect();
    delete element.dataset["keepsFocus"];
    element.removeEventListener("focusin", onFocus);
    element.removeEventListener("focusout", onBlur);
  };
}

function innermostAround(focused: Element | null): Element | null {
  return focused?.closest("[data-keeps-focus]") ?? null;
}

/** The same as a `ref`. */
export function keepFocus(element: HTMLElement | null): (() => void) | undefined {
  return element ? keepFocusIn(element) : undefined;
}
