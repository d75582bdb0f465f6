import { ConnectionTest, type Step, type Verdict } from "@conclave/client/connection-test";
import { Button } from "@conclave/ui/button";
import { useObservable } from "@conclave/ui/use-observable";
import { usePageTitle } from "@conclave/ui/use-page-title";
import { CircleCheck, CircleDashed, CircleMinus, CircleX, LoaderCircle } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import "./connection-test.css";

export interface ConnectionTestPageProps {
  readonly baseUrl: string;
  /** The room that the person comes from; null for a person who is signed in. */
  readonly code: string | null;
  readonly joinSecret: string | null;
  /** Begins anew. */
  readonly onAgain: () => void;
}

/** Shows whether meetings work from here, and if not, which step fails and what to do. */
export function ConnectionTestPage({ onAgain, ...options }: ConnectionTestPageProps) {
  const { t } = useTranslation();
  const [test] = useState(() => new ConnectionTest(options));
  const { steps, verdict } = useObservable(test.state);
  const title = t("connectionTest.title");
  usePageTitle(title, t("product"));
  useEffect(() => test.start(), [test]);
  const host = new URL(options.baseUrl).host;
  return (
    <main className="connection-test">
      <a className="connection-test-home" href="/">
        {t("product")}
      </a>
      <div className="connection-test-body">
        <h1 className="connection-test-title">{title}</h1>
        <p>{t("connectionTest.intro", { host })}</p>
        <ol className="connection-test-steps" aria-label={t("connectionTest.steps")}>
          {steps.map((step) => (
            <StepLine key={step.name} step={step} />
          ))}
        </ol>
        <div className="connection-test-verdict" role="status">
          <VerdictText verdict={verdict} host={host} />
        </div>
        {verdict ? (
          <div>
            <Button look="plain" onPress={onAgain}>
              {t("connectionTest.again")}
            </Button>
          </div>
        ) : null}
      </div>
    </main>
  );
}

const icons = {
  waiting: CircleDashed,
  running: LoaderCircle,
  ok: CircleCheck,
  failed: CircleX,
  not_offered: CircleMinus,
  skipped: CircleMinus,
} as const;

function StepLine({ step: { name, outcome } }: { readonly step: Step }) {
  const { t } = useTranslation();
  const Icon = icons[outcome.kind];
  return (
    <li className={`connection-test-step is-${outcome.kind}`}>
      <Icon size={20} aria-hidden="true" />
      <span>{t(`connectionTest.step.${name}`)}</span>
      <span className="connection-test-outcome">
        {t(`connectionTest.outcome.${outcome.kind}`, { ...outcome })}
      </span>
    </li>
  );
}

interface VerdictTextProps {
  readonly verdict: Verdict | null;
  readonly host: string;
}

function VerdictText({ verdict, host }: VerdictTextProps) {
  const { t } = useTranslation();
  if (verdict === null) return <p>{t("connectionTest.running")}</p>;
  const { text, next } = words(verdict);
  return (
    <>
      <p className="connection-test-result">{t(text)}</p>
      {next === null ? null : <p>{t(next, { host })}</p>}
    </>
  );
}

const refusals: ReadonlySet<string> = new Set(["not_found", "sign_in_required", "rate_limited"]);

/** The names of the messages that say how the test ended, and what to do. */
function words(verdict: Verdict): { text: string; next: string | null } {
  switch (verdict.kind) {
    case "works":
      return {
        text: `connectionTest.works.${verdict.way}`,
        next: verdict.way === "udp" ? null : `connectionTest.worksNext.${verdict.way}`,
      };
    case "refused": {
      const known = refusals.has(verdict.code) ? verdict.code : "other";
      return { text: `connectionTest.refused.${known}`, next: null };
    }
    default:
      return {
        text: `connectionTest.${verdict.kind}`,
        next: `connectionTest.${verdict.kind}Next`,
      };
  }
}
