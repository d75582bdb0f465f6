import type { EndReason } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import "./out-screen.css";

export interface OutScreenProps {
  readonly reason: EndReason;
  /** The address of the page that tests the connection. */
  readonly connectionTest: string;
  /** What becomes of the person's recording; null if there is nothing to say. */
  readonly recording: string | null;
  /** Goes where the person's link leads after the meeting; null if they cannot now. */
  readonly onContinue: (() => void) | null;
  readonly onRejoin: () => void;
  readonly onReload: () => void;
  readonly onHome: () => void;
}

/**
 * The reasons after which rejoining would fail, so that the screen offers the start page instead.
 */
const final: ReadonlySet<EndReason> = new Set(["deleted", "unsupported", "downgraded"]);

export function OutScreen(props: OutScreenProps) {
  const { reason, connectionTest, recording, onContinue, onRejoin, onReload, onHome } = props;
  const { t } = useTranslation();
  const title = useRef<HTMLHeadingElement>(null);
  // What had the focus is gone with the meeting. Here screen readers say why.
  useEffect(() => title.current?.focus(), []);
  // A person who was removed is not invited to come back at once.
  const leadsHome = final.has(reason) || reason === "removed";
  const looks = (leads: boolean) => (leads && onContinue === null ? "primary" : "plain");
  const home = (
    <Button key="home" look={looks(leadsHome)} size="large" onPress={onHome}>
      {t("out.home")}
    </Button>
  );
  // A page that lacks a part of itself would lack it again, above all after an upgrade.
  const isIncomplete = reason === "worker_failed";
  const back = final.has(reason) ? null : (
    <Button
      key="back"
      look={looks(!leadsHome)}
      size="large"
      onPress={isIncomplete ? onReload : onRejoin}
    >
      {t(isIncomplete ? "reload" : "out.rejoin")}
    </Button>
  );
  return (
    <main className="out">
      <h1 className="out-title" ref={title} tabIndex={-1}>
        {t(`out.${reason}`)}
      </h1>
      {reason === "unsupported" ? <p>{t("out.unsupportedNext")}</p> : null}
      {reason === "worker_failed" ? <p>{t("out.worker_failedNext")}</p> : null}
      {reason === "downgraded" ? <p>{t("out.downgradedNext")}</p> : null}
      {reason === "lost" ? (
        <p>
          <a href={connectionTest} target="_blank" rel="noreferrer">
            {t("join.testConnection")}
          </a>
        </p>
      ) : null}
      {/* Always there, because screen readers only announce what changes in a status they know. */}
      <p role="status" className={recording === null ? "visually-hidden" : undefined}>
        {recording}
      </p>
      <div className="out-actions">
        {onContinue ? (
          <Button look="primary" size="large" onPress={onContinue}>
            {t("out.continue")}
          </Button>
        ) : null}
        {leadsHome ? [home, back] : [back, home]}
      </div>
    </main>
  );
}
