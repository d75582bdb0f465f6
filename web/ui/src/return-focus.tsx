import { useEffect, useState } from "react";
import { focusFirst, placesBehind, rememberPlaces } from "./return-places";

/**
 * Inside a dialog: when the dialog closes, gives the focus back to what had it before. If that
 * cannot have the focus any more, an element around it gets it, or one behind the dialog that it
 * was in. React Aria does so too, but at times a moment before the page behind the dialog can be
 * focused again.
 */
export function ReturnFocus() {
  const [places] = useState(() => [
    ...placesAround(opener(document.activeElement)),
    ...placesBehind(),
  ]);
  useEffect(() => {
    const forget = rememberPlaces(places);
    return () => {
      forget();
      setTimeout(() => {
        if (document.activeElement === document.body) focusFirst(places);
      });
    };
  }, [places]);
  return null;
}

/** An element, and those around it that can have the focus, the innermost first. */
function placesAround(element: Element | null): readonly HTMLElement[] {
  const places: HTMLElement[] = [];
  for (let place = element; place; place = place.parentElement?.closest("[tabindex]") ?? null) {
    if (place instanceof HTMLElement) places.push(place);
  }
  return places;
}

/**
 * What is still there when the dialog closes: for an item of a menu, which is gone by then, the
 * button that opened the menu. A menu is labelled by its button, a submenu by its item.
 */
function opener(focused: Element | null): Element | null {
  const menu = focused?.closest("[role=menu]");
  if (!menu) return focused;
  const labels = menu.getAttribute("aria-labelledby")?.split(" ") ?? [];
  const button = labels
    .filter((id) => id !== menu.id)
    .map((id) => document.getElementById(id))
    .find((element) => element !== null);
  return button ? opener(button) : focused;
}
