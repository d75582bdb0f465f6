import type { LookUp } from "@conclave/client/pre-join";
import { useTranslation } from "react-i18next";

export interface InsideLineProps {
  readonly inside: NonNullable<LookUp["inside"]>;
}

/** Says who is in the meeting already, or how many people are. */
export function InsideLine({ inside: { count, names } }: InsideLineProps) {
  const { t, i18n } = useTranslation();
  if (count === 0) return <p className="pre-join-note">{t("join.insideNobody")}</p>;
  if (names.length === 0) return <p className="pre-join-note">{t("join.inside", { count })}</p>;
  const others = count - names.length;
  const all = [
    ...names.map(isolated),
    ...(others > 0 ? [t("join.insideOthers", { count: others })] : []),
  ];
  const last = all.at(-1);
  const first = new Intl.ListFormat(i18n.language, { type: "unit" }).format(all.slice(0, -1));
  return (
    <p className="pre-join-note pre-join-inside">
      {all.length === 1
        ? t("join.insideOne", { name: last })
        : t("join.insideSome", { first, last })}
    </p>
  );
}

/** Keeps a name in another direction from turning the sentence around it. */
function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}
