import type { Knocking, Person } from "@conclave/client";
import { useOnNew } from "@conclave/ui/use-on-new";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { changesOf, type Known, knownAmong } from "./arrivals";

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
  const [said, say] = useState({ text: "", number: 0 });
  // A new element each time, so that what is said twice is heard twice.
  const announce = useCallback(
    (text: string) => say(({ number }) => ({ text, number: number + 1 })),
    [],
  );

  useOnNew(
    waiting.map(({ identity }) => identity),
    (identity) => {
      const name = waiting.find((one) => one.identity === identity)?.name;
      announce(t("people.waits", { name }));
    },
  );

  useEffect(() => {
    const now = knownAmong(people);
    if (now === null) return;
    const { came, went } = changesOf(known.current, now);
    known.current = now;
    const news = [
      ...came.map((name) => t("people.joined", { name })),
      ...went.map((name) => t("people.left", { name })),
    ];
    if (news.length > 0) announce(news.join(". "));
  }, [people, t, announce]);

  return (
    <p className="visually-hidden" aria-live="polite">
      <span key={said.number}>{said.text}</span>
    </p>
  );
}
