import {
  type BreakoutSession,
  isOwnHost,
  type Person,
  personOf,
  type Whereabouts,
} from "@conclave/client";
import type { Value } from "@conclave/client/pre-join";
import { clockText } from "@conclave/ui/clock-text";
import { useTranslation } from "react-i18next";
import type { BreakoutActions } from "./breakout-actions";
import { lastMinute } from "./last-minute";
import { OpenRooms } from "./open-rooms";
import { OwnRoom } from "./own-room";
import type { Draft } from "./plan";
import { PlanForm } from "./plan-form";
import "./breakout.css";

export interface BreakoutPanelProps {
  /** The open rooms; null while there are none. */
  readonly session: BreakoutSession | null;
  readonly whereabouts: Whereabouts;
  readonly secondsLeft: number | null;
  readonly people: readonly Person[];
  /** Whether the person is a host or co-host, who opens rooms and assigns people. */
  readonly isDirecting: boolean;
  /** A co-host cannot move the room's own hosts. */
  readonly isCohost: boolean;
  /** What a host plans before opening rooms. */
  readonly plan: Value<Draft>;
  readonly actions: BreakoutActions;
}

/** The panel "Breakout rooms". */
export function BreakoutPanel(props: BreakoutPanelProps) {
  const { session, whereabouts, secondsLeft, isDirecting, actions } = props;
  const people = props.isCohost ? props.people.filter((one) => !isOwnHost(one)) : props.people;
  const { t } = useTranslation();
  if (session === null) {
    if (isDirecting) return <PlanForm plan={props.plan} people={people} onOpen={actions.open} />;
    return <p className="panel-body">{t("breakout.none")}</p>;
  }
  return (
    // The rooms can be scrolled, so the keyboard has to reach them.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
    <div className="panel-body breakout" tabIndex={0}>
      {secondsLeft === null || secondsLeft <= lastMinute ? null : (
        <p className="breakout-countdown">
          {t("breakout.closing", { time: clockText(secondsLeft) })}
        </p>
      )}
      <OwnRoom
        session={session}
        whereabouts={whereabouts}
        actions={actions}
        hasRooms={!isDirecting}
      />
      {isDirecting ? (
        <OpenRooms
          session={session}
          here={whereabouts.breakoutId}
          fixed={props.isCohost ? ownHostsOf(props.people) : nobody}
          actions={actions}
        />
      ) : null}
    </div>
  );
}

const nobody: ReadonlySet<string> = new Set();

function ownHostsOf(people: readonly Person[]): ReadonlySet<string> {
  return new Set(people.filter(isOwnHost).map(({ identity }) => personOf(identity)));
}
