import type { BreakoutSession, Whereabouts } from "@conclave/client";
import { Button } from "@conclave/ui/button";
import { Undo2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { BreakoutActions } from "./breakout-actions";
import { LastMinute } from "./last-minute";
import { placeName } from "./room-names";
import "./breakout.css";

export interface PlaceSignProps {
  readonly session: BreakoutSession | null;
  readonly whereabouts: Whereabouts;
  /** Until the rooms close; null where a banner says it. */
  readonly secondsLeft: number | null;
  /** The panel has a button to return too. */
  readonly isPanelOpen: boolean;
  readonly actions: Pick<BreakoutActions, "returnToMain">;
}

/** Shows in the meeting's header which room the person is in. */
export function PlaceSign(props: PlaceSignProps) {
  const { session, whereabouts, secondsLeft, isPanelOpen, actions } = props;
  const { t } = useTranslation();
  const isAway = whereabouts.breakoutId !== null;
  if (!session && !isAway) return null;
  return (
    <div className="place-sign">
      <span className="visually-hidden">{t("breakout.here")}</span>
      <p className="place-sign-name" dir="auto">
        {placeName(whereabouts, t)}
      </p>
      {isAway && session?.you.can_return && !isPanelOpen ? (
        <span className="place-sign-return">
          <Button look="quiet" icon={<Undo2 size={16} />} onPress={actions.returnToMain}>
            {t("breakout.return")}
          </Button>
        </span>
      ) : null}
      <LastMinute secondsLeft={secondsLeft} look="line" />
    </div>
  );
}
