/**
 * Up to two initials, of the first and the last word, in any script. Brackets are no initials;
 * signs that begin an emoji are.
 */
export function initialsOf(name: string): string {
  const plain = name.replaceAll(/(?<=^|\s)(?:\p{P}(?![\uFE0F\u20E3]))+/gu, "");
  const words = (plain.trim() || name.trim()).split(/\s+/u).filter(Boolean);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends
    .map((word) => lettersOf(word ?? "")[0] ?? "")
    .join("")
    .toLocaleUpperCase();
}

/** The letters as people see them. Each may consist of several characters. */
export function lettersOf(text: string): string[] {
  const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text);
  return [...segments].map(({ segment }) => segment);
}
