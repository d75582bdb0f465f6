import {
  type Area,
  arrange,
  type Focus,
  holdFocus,
  nextFocus,
  noFocus,
  type Person,
  pageSize,
} from "@conclave/client";
import { useEffect, useState } from "react";

interface Speakers {
  readonly order: readonly string[];
  readonly focus: Focus;
  readonly spoke: ReadonlyMap<string, number>;
  readonly people: readonly Person[] | null;
}

const noSpeakers: Speakers = { order: [], focus: noFocus, spoke: new Map(), people: null };

/** The order of the tiles and the focus, which depend on what they were before. */
export function useSpeakers(
  people: readonly Person[],
  area: Area,
  now: () => number,
): { order: readonly string[]; focus: string | null } {
  const [speakers, setSpeakers] = useState(noSpeakers);
  // Until the area has a size there are no pages, and nobody has to change places.
  const firstPage = area.width === 0 ? Number.POSITIVE_INFINITY : pageSize(area);

  useEffect(() => {
    const update = () => setSpeakers((before) => follow(before, people, firstPage, now()));
    update();
    if (!people.some(isSpeaking)) return undefined;
    // A person who keeps speaking takes the focus once the focused person has had their time.
    const timer = setInterval(update, holdFocus);
    return () => clearInterval(timer);
  }, [people, firstPage, now]);

  const isCurrent = speakers.people !== null;
  const order = isCurrent ? speakers.order : people.map((person) => person.identity);
  return { order: complete(order, people), focus: speakers.focus.identity };
}

function isSpeaking(person: Person): boolean {
  return person.speaking;
}

/** Adds people who just joined at the end, without waiting for an effect. */
function complete(order: readonly string[], people: readonly Person[]): readonly string[] {
  const missing = people.filter((person) => !order.includes(person.identity));
  return missing.length === 0 ? order : [...order, ...missing.map((person) => person.identity)];
}

function follow(
  before: Speakers,
  people: readonly Person[],
  firstPage: number,
  now: number,
): Speakers {
  const present = people.map((person) => person.identity);
  const speaking = people.filter(isSpeaking).map((person) => person.identity);
  const others = people.filter((person) => !person.isMe).map((person) => person.identity);
  const heard = speaking.filter((identity) => others.includes(identity));
  const focus = nextFocus(before.focus, others, heard, now);
  const seen = people.filter(({ camera }) => camera).map((person) => person.identity);
  const company = { present, speaking, seen, spoke: before.spoke };
  const order = arrange(before.order, company, firstPage);
  const spoke = speaking.length === 0 ? before.spoke : new Map(before.spoke);
  if (spoke instanceof Map) for (const identity of speaking) spoke.set(identity, now);
  return { order, focus, spoke, people };
}
