import type { Knocking, Person } from "@conclave/client";
import type { TFunction } from "i18next";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import {
  changesOf,
  followScreens,
  handsUp,
  type Knock,
  type Known,
  knockIn,
  knownAmong,
  newHands,
  noScreens,
} from "./arrivals";

export interface AnnouncerProps {
  readonly people: readonly Person[];
  /** For hosts: the people who knock. */
  readonly waiting: readonly Knocking[];
  /** How many messages the person has not read. An open chat is read out by itself. */
  readonly unread: number;
}

/**
 * Tells screen readers who joined, who left, who waits, who put up a hand, who shares a screen, and
 * of messages that wait to be read. It is there before it has something to say: what appears together
 * with its text is often not read out.
 */
export function Announcer({ people, waiting, unread }: AnnouncerProps) {
  const { t } = useTranslation();
  const known = useRef<Known | null>(null);
  const knocked = useRef<ReadonlySet<string>>(new Set());
  const hands = useRef<ReadonlySet<string> | null>(null);
  const screens = useRef(noScreens);
  const counted = useRef(0);
  const [said, say] = useState({ text: "", number: 0 });

  // One effect for all of it, since a second text in the same moment would replace the first.
  useEffect(() => {
    const knock = knockIn(waiting, knocked.current);
    knocked.current = new Set(waiting.map(({ identity }) => identity));
    const listed = knownAmong(people);
    const now = listed ?? known.current;
    const { came, went } = now ? changesOf(known.current, now) : { came: [], went: [] };
    known.current = now;
    const raised = listed ? newHands(people, hands.current) : [];
    if (listed) hands.current = handsUp(people);
    const shared = followScreens(listed ? people : [], screens.current, performance.now());
    screens.current = shared.screens;
    const hasMessages = unread > counted.current;
    counted.current = unread;
    const news = [
      ...(knock ? [knockText(t, knock)] : []),
      ...came.map((name) => t("people.joined", { name })),
      ...went.map((name) => t("people.left", { name })),
      ...raised.map((name) => t("people.raised", { name })),
      ...shared.begun.map((name) => t("people.shares", { name })),
      ...(hasMessages ? [t("panels.unread", { count: unread })] : []),
    ];
    // A new element each time, so that what is said twice is heard twice.
    if (news.length > 0) say(({ number }) => ({ text: news.join(". "), number: number + 1 }));
  }, [people, waiting, unread, t]);

  return (
    <p className="visually-hidden" aria-live="polite">
      <span key={said.number}>{said.text}</span>
    </p>
  );
}

function knockText(t: TFunction, { name, others }: Knock): string {
  return others > 0 ? t("people.waitsMore", { name, count: others }) : t("people.waits", { name });
}
