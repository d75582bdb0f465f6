import type { Knocking, Person } from "@conclave/client";
import type { TFunction } from "i18next";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { changesOf, type Knock, type Known, knockIn, knownAmong } from "./arrivals";

export interface AnnouncerProps {
  readonly people: readonly Person[];
  /** For hosts: the people who knock. */
  readonly waiting: readonly Knocking[];
}

/**
 * Tells screen readers who joined, who left and who waits. It is there before it has something to
 * say: what appears together with its text is often not read out.
 */
export function Announcer({ people, waiting }: AnnouncerProps) {
  const { t } = useTranslation();
  const known = useRef<Known | null>(null);
  const knocked = useRef<ReadonlySet<string>>(new Set());
  const [said, say] = useState({ text: "", number: 0 });

  // One effect for all of it, since a second text in the same moment would replace the first.
  useEffect(() => {
    const knock = knockIn(waiting, knocked.current);
    knocked.current = new Set(waiting.map(({ identity }) => identity));
    const now = knownAmong(people) ?? known.current;
    const { came, went } = now ? changesOf(known.current, now) : { came: [], went: [] };
    known.current = now;
    const news = [
      ...(knock ? [knockText(t, knock)] : []),
      ...came.map((name) => t("people.joined", { name })),
      ...went.map((name) => t("people.left", { name })),
    ];
    // A new element each time, so that what is said twice is heard twice.
    if (news.length > 0) say(({ number }) => ({ text: news.join(". "), number: number + 1 }));
  }, [people, waiting, t]);

  return (
    <p className="visually-hidden" aria-live="polite">
      <span key={said.number}>{said.text}</span>
    </p>
  );
}

function knockText(t: TFunction, { name, others }: Knock): string {
  return others > 0 ? t("people.waitsMore", { name, count: others }) : t("people.waits", { name });
}
