import type { Knocking } from "@conclave/client";
import { Avatar } from "@conclave/ui/avatar";
import { Button } from "@conclave/ui/button";
import { Bell } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { PeopleActions } from "./people-actions";
import { askToNotify, mayAskToNotify } from "./waiting-notification";

export interface WaitingListProps {
  /** The people who knock, oldest first. */
  readonly waiting: readonly Knocking[];
  readonly actions: Pick<PeopleActions, "answer" | "admitAll">;
}

/** The people who wait to be admitted, at the top of the panel because they depend on hosts. */
export function WaitingList({ waiting, actions }: WaitingListProps) {
  const { t } = useTranslation();
  const [mayAsk, setMayAsk] = useState(mayAskToNotify);
  return (
    <section className="people-waiting">
      <div className="people-head">
        <h3 className="people-title">
          {t("people.waiting")} <span className="people-count">{waiting.length}</span>
        </h3>
        {waiting.length > 1 ? (
          <Button look="quiet" onPress={actions.admitAll}>
            {t("people.admitAll")}
          </Button>
        ) : null}
      </div>
      <ul aria-label={t("people.waiting")}>
        {waiting.map(({ identity, name, avatar }) => (
          <li key={identity} className="people-row people-row-waiting">
            <span className="people-avatar">
              <Avatar name={name} avatar={avatar} />
            </span>
            <span className="people-name">
              <bdi id={nameId(identity)}>{name}</bdi>
            </span>
            <span className="people-answers">
              <Button
                aria-describedby={nameId(identity)}
                onPress={() => actions.answer(identity, "deny")}
              >
                {t("people.deny")}
              </Button>
              <Button
                look="primary"
                aria-describedby={nameId(identity)}
                onPress={() => actions.answer(identity, "admit")}
              >
                {t("people.admit")}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {mayAsk ? (
        <Button
          look="quiet"
          icon={<Bell size={16} />}
          onPress={() => void askToNotify().finally(() => setMayAsk(mayAskToNotify()))}
        >
          {t("people.notify")}
        </Button>
      ) : null}
    </section>
  );
}

/** The id of a person's name, which describes the buttons "Admit" and "Deny" beside it. */
function nameId(identity: string): string {
  return `waiting-${identity}`;
}
