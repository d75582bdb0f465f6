import type { Compared, GroupState } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { Check, TriangleAlert } from "lucide-react";
import { useId, useRef } from "react";
import { useTranslation } from "react-i18next";
import { DigitGroups } from "./digit-groups";
import { useCodeChange } from "./use-code-change";
import { useHasStood } from "./use-has-stood";

export interface CompareCodeProps {
  readonly code: GroupState["code"];
  readonly extent: Compared["extent"];
  /** Whether there is nobody to compare with. */
  readonly isAlone: boolean;
  /** The person has compared this code. */
  readonly onCompared: () => void;
}

/** The code that people read to one another. */
export function CompareCode({ code, extent, isAlone, onCompared }: CompareCodeProps) {
  const { t } = useTranslation();
  const id = useId();
  const changeId = useId();
  const key = code.digits.join(" ");
  const hasStood = useHasStood(key);
  const { hasChanged, compared } = useCodeChange(isAlone ? null : key);
  const isAsked = !isAlone && extent !== "all";
  const result = useRef<HTMLParagraphElement>(null);
  const press = () => {
    compared();
    onCompared();
    // The button disappears, and the focus must not be lost with it.
    result.current?.focus();
  };
  return (
    <section
      className="compare"
      aria-labelledby={id}
      // Where a person who is told to compare again finds the focus when the panel opens.
      {...(extent === "some" ? { tabIndex: -1, "data-autofocus": true } : {})}
    >
      <h3 id={id} className="info-title">
        {t("compare.title")}
      </h3>
      <p className="compare-text">{t("compare.explain")}</p>
      <div className="compare-code">
        <DigitGroups groups={code.digits} />
        <ul className="compare-pictures" aria-label={t("compare.asPictures")}>
          {code.emoji.map(({ emoji, name }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a picture may come twice.
            <li key={index}>
              <span className="compare-picture" aria-hidden="true">
                {emoji}
              </span>
              <span className="compare-name">{t(`compare.pictures.${name}`)}</span>
            </li>
          ))}
        </ul>
      </div>
      <p ref={result} className={`compare-extent compare-${extent}`} role="status" tabIndex={-1}>
        {extent === "all" ? <Check size={20} aria-hidden="true" /> : null}
        {extent === "some" ? <TriangleAlert size={20} aria-hidden="true" /> : null}
        {isAlone ? t("compare.alone") : t(`compare.extent.${extent}`)}
      </p>
      <p id={changeId} className="compare-change" role="status">
        {isAsked && hasChanged ? t("compare.changed") : null}
      </p>
      {isAsked ? (
        <Button
          isBusy={!hasStood}
          onPress={press}
          {...(hasChanged ? { "aria-describedby": changeId } : {})}
        >
          {t("compare.done")}
        </Button>
      ) : null}
    </section>
  );
}
