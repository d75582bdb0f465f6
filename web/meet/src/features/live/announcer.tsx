import type { Person } from "@conclave/client";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

/** Tells screen readers who joined and who left. */
export function Announcer({ people }: { readonly people: readonly Person[] }) {
  const { t } = useTranslation();
  const known = useRef<ReadonlyMap<string, string> | null>(null);
  const [text, setText] = useState("");

  useEffect(() => {
    const now = new Map<string, string>();
    for (const person of people) {
      if (!person.isMe && person.name !== null) now.set(person.identity, person.name);
    }
    const before = known.current;
    known.current = now;
    if (before === null) return;
    const came = [...now].filter(([identity]) => !before.has(identity));
    const went = [...before].filter(([identity]) => !now.has(identity));
    const said = [
      ...came.map(([, name]) => t("people.joined", { name })),
      ...went.map(([, name]) => t("people.left", { name })),
    ];
    if (said.length > 0) setText(said.join(". "));
  }, [people, t]);

  return (
    <p className="visually-hidden" aria-live="polite">
      {text}
    </p>
  );
}
