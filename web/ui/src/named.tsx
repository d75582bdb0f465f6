import { Fragment } from "react";

/** Stands for the name while the sentence is worded. */
const gap = "\ufffc";

export interface NamedProps {
  /** A name, or another text that somebody chose. */
  readonly name: string;
  /** The sentence around the name. */
  readonly words: (name: string) => string;
}

/** A sentence with a name. The direction of the name does not turn the words around it. */
export function Named({ name, words }: NamedProps) {
  return words(gap)
    .split(gap)
    .map((part, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the place is all that a part is.
      <Fragment key={index}>
        {index > 0 ? <bdi>{name}</bdi> : null}
        {part}
      </Fragment>
    ));
}
