import { Button } from "@conclave/ui/button";
import { Confirm } from "@conclave/ui/confirm";
import { Named } from "@conclave/ui/named";
import { readingLocale } from "@conclave/ui/when";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Connection } from "./calendar-service";

export interface CalendarItemProps {
  readonly connection: Connection;
  readonly onDisconnect: () => void;
}

/** A connected calendar with its state, and a button to disconnect it. */
export function CalendarItem({ connection, onDisconnect }: CalendarItemProps) {
  const { t, i18n } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const nameId = useId();
  const { name, provider, status, failing_since, failed } = connection;
  const kind = t(`calendars.kind.${provider}`);
  const isFailing = status === "connected" && failing_since !== null;
  const when = failing_since
    ? new Date(failing_since).toLocaleString(readingLocale(i18n.language, navigator.languages), {
        dateStyle: "medium",
        timeStyle: "short",
      })
    : "";
  return (
    <li className="calendars-item">
      <div className="calendars-item-text">
        <p className="account-name" id={nameId}>
          <bdi>{name}</bdi>
          {name === kind ? null : <span className="account-note"> · {kind}</span>}
        </p>
        <p className="account-note">
          {isFailing ? t("calendars.state.failing", { when }) : t(`calendars.state.${status}`)}
        </p>
        {failed > 0 ? (
          <p className="account-note">{t("calendars.refused", { count: failed })}</p>
        ) : null}
      </div>
      <Button look="quiet-danger" aria-describedby={nameId} onPress={() => setAsking(true)}>
        {t("calendars.disconnect")}
      </Button>
      {isAsking ? (
        <Confirm
          title={
            <Named
              name={name}
              words={(calendar) => t("calendars.disconnectTitle", { name: calendar })}
            />
          }
          text={t("calendars.disconnectText")}
          confirmLabel={t("calendars.disconnect")}
          cancelLabel={t("calendars.cancel")}
          onConfirm={() => {
            setAsking(false);
            onDisconnect();
          }}
          onCancel={() => setAsking(false)}
        />
      ) : null}
    </li>
  );
}
