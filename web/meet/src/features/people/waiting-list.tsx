import type { Knocking } from "@conclave/client";
import { Avatar } from "@conclave/ui/avatar";
import { Button } from "@conclave/ui/button";
import { Bell } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "./people-actions";
import { useJustMoved } from "./use-just-moved";
import type { Marks } from "./waiting-marks";
import { askToNotify, mayAskToNotify } from "./waiting-notification";

export interface WaitingListProps {
  /** The people who knock, oldest first. */
  readonly waiting: readonly Knocking[];
  /** Those whose answer is on its way. */
  readonly answered: Marks;
  readonly onAnswer: Answer;
  readonly onAdmitAll: () => void;
}

/** The people who wait to be admitted, at the top of the panel because they depend on hosts. */
export function WaitingList({ waiting, answered, onAnswer, onAdmitAll }: WaitingListProps) {
  const { t } = useTranslation();
  const [mayAsk, setMayAsk] = useState(mayAskToNotify);
  return (
    <section className="people-waiting">
      <div className="people-head">
        <h3 className="people-title">
          {t("people.waiting")} <span className="people-count">{waiting.length}</span>
        </h3>
        <Button look="quiet" onPress={onAdmitAll}>
          {t("people.admitAll")}
        </Button>
      </div>
      <ul aria-label={t("people.waiting")}>
        {waiting.map((one, place) => (
          <WaitingRow
            key={one.identity}
            person={one}
            place={place}
            isAnswered={answered.has(one.identity)}
            onAnswer={(decision) => onAnswer(one.identity, decision)}
          />
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

interface WaitingRowProps {
  readonly person: Knocking;
  /** The row's number, from 0. */
  readonly place: number;
  readonly isAnswered: boolean;
  readonly onAnswer: (decision: "admit" | "deny") => void;
}

/**
 * One person with the two answers. A row that moved up under a double click on the row before takes
 * no answer for a moment.
 */
function WaitingRow({ person, place, isAnswered, onAnswer }: WaitingRowProps) {
  const { t } = useTranslation();
  const nameId = useId();
  const hasMoved = useJustMoved(place);
  const button = (decision: "admit" | "deny", look: "primary" | "plain") => (
    <Button
      look={look}
      aria-describedby={nameId}
      isDisabled={isAnswered}
      onPress={() => {
        if (!hasMoved()) onAnswer(decision);
      }}
    >
      {t(`people.${decision}`)}
    </Button>
  );
  return (
    <li className="people-row people-row-waiting">
      <span className="people-avatar">
        <Avatar name={person.name} avatar={person.avatar} />
      </span>
      <span className="people-name">
        <bdi id={nameId}>{person.name}</bdi>
      </span>
      <span className="people-answers">
        {button("deny", "plain")}
        {button("admit", "primary")}
      </span>
    </li>
  );
}
