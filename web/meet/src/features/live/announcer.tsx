import type { Person } from "@conclave/client";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { changesOf, type Known, knownAmong } from "./arrivals";

/** Tells screen readers who joined and who left. */
export function Announcer({ people }: { readonly people: readonly Person[] }) {
  const { t } = useTranslation();
  const known = useRef<Known | null>(null);
  const [text, setText] = useState("");

  useEffect(() => {
    const now = knownAmong(people);
    if (now === null) return;
    const { came, went } = changesOf(known.current, now);
    known.current = now;
    const said = [
      ...came.map((name) => t("people.joined", { name })),
      ...went.map((name) => t("people.left", { name })),
    ];
    if (said.length > 0) setText(said.join(". "));
  }, [people, t]);

  return (
    <p className="visually-hidden" aria-live="polite">
      {text}
    </p>
  );
}
