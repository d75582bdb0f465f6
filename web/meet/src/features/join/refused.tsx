import { Button } from "@conclave/ui/button";
import { DoorClosed } from "lucide-react";
import { useTranslation } from "react-i18next";
import { type Refusal, useRefusalText } from "./refusal-text";
import "./refused.css";

export interface RefusedProps {
  readonly refusal: Refusal;
  readonly onRetry: () => void;
  readonly onReload: () => void;
  readonly onHome: () => void;
}

/** The reasons that stay, so that trying again would fail: it takes another link or browser. */
const final: ReadonlySet<string> = new Set([
  "not_found",
  "link_expired",
  "link_damaged",
  "not_let_in",
  "browser",
]);

/** The reasons that lie in the page, so that only another version of it would get further. */
const outdated: ReadonlySet<string> = new Set(["encryption_strict"]);

/**
 * The page of a room that cannot be entered: why, and what to do next. Its main button has the focus,
 * because the page comes back after another try that is refused, and the button pressed is gone.
 */
export function Refused({ refusal, onRetry, onReload, onHome }: RefusedProps) {
  const { t } = useTranslation();
  const { text, next } = useRefusalText(refusal);
  const isFinal = final.has(refusal.reason);
  const isOutdated = outdated.has(refusal.reason);
  return (
    <main className="refused">
      <DoorClosed size={40} aria-hidden="true" />
      <div role="alert">
        <h1 className="refused-title">{text}</h1>
      </div>
      <p className="refused-next">{next}</p>
      <div className="refused-actions">
        {isFinal ? null : (
          <Button look="primary" onPress={isOutdated ? onReload : onRetry} autoFocus>
            {t(isOutdated ? "reload" : "join.again")}
          </Button>
        )}
        <Button look={isFinal ? "primary" : "plain"} onPress={onHome} autoFocus={isFinal}>
          {t("join.elsewhere")}
        </Button>
      </div>
    </main>
  );
}
