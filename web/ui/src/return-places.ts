/** Where the focus can return to, behind each dialog that is open, the latest last. */
const open: (readonly HTMLElement[])[] = [];

/** Where the focus can return to when the latest dialog is gone, too. */
export function placesBehind(): readonly HTMLElement[] {
  return open.at(-1) ?? [];
}

/** Remembers these places for dialogs that open from now on; the returned function forgets them. */
export function rememberPlaces(places: readonly HTMLElement[]): () => void {
  open.push(places);
  return () => {
    open.splice(open.lastIndexOf(places), 1);
  };
}

/** Gives the focus to the first place that takes it; disabled and hidden ones do not. */
export function focusFirst(places: readonly HTMLElement[]): void {
  for (const place of places) {
    if (!place.isConnected) continue;
    place.focus();
    if (document.activeElement !== document.body) return;
  }
}
