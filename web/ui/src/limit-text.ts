/** A text and the place of the caret in it, which is null where a field has none. */
export interface Edited {
  readonly text: string;
  readonly caret: number | null;
}

/**
 * Takes from what was typed or pasted as much as the limit allows, as the browser does for
 * `maxlength`. That counts UTF-16 units, and the service counts code points: an emoji is two of
 * the former and mostly one of the latter. What was there before stays, even if it is too long.
 */
export function limitText(before: string, edited: Edited, limit: number): Edited {
  const old = [...before];
  const now = [...edited.text];
  const excess = now.length - limit;
  if (excess <= 0) return edited;
  // What was added ends at the caret.
  const behind = edited.caret === null ? now.length : [...edited.text.slice(edited.caret)].length;
  const rest = Math.min(behind, sameAtEnd(old, now));
  const start = sameAtStart(old.slice(0, old.length - rest), now.slice(0, now.length - rest));
  const added = now.slice(start, now.length - rest);
  const kept = now.slice(0, start).concat(added.slice(0, Math.max(0, added.length - excess)));
  const left = kept.join("");
  const text = left + now.slice(now.length - rest).join("");
  return { text, caret: edited.caret === null ? null : left.length };
}

function sameAtStart(one: readonly string[], other: readonly string[]): number {
  let same = 0;
  while (same < one.length && same < other.length && one[same] === other[same]) same += 1;
  return same;
}

function sameAtEnd(one: readonly string[], other: readonly string[]): number {
  return sameAtStart(one.toReversed(), other.toReversed());
}
