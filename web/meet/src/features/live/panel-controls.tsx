import { CallButton } from "@conclave/ui/call-button";
import { Blocks, ChartColumn, Info, MessageSquare, SlidersHorizontal, Users } from "lucide-react";
import { Toolbar } from "react-aria-components";
import { useTranslation } from "react-i18next";
import type { PanelName } from "./panel-state";
import type { Panels } from "./use-panels";

export interface PanelCounts {
  readonly people: number;
  /** People who wait to be let in. Hosts see their number in place of the people's. */
  readonly waiting: number;
  /** Chat messages the person has not read. */
  readonly unread: number;
  /** Polls that wait for the person's vote. */
  readonly polls: number;
}

export interface PanelControlsProps {
  readonly panels: Panels;
  readonly counts: PanelCounts;
}

/** The toolbar that opens and closes the panels. */
export function PanelControls({ panels, counts }: PanelControlsProps) {
  const { open, offered, toggle } = panels;
  const { t } = useTranslation();
  const look = (panel: PanelName) => (open === panel ? "on" : "plain");
  return (
    <Toolbar className="panel-controls" aria-label={t("panels.toolbar")}>
      <CallButton
        label={t("panels.info")}
        look={look("info")}
        icon={<Info size={20} />}
        aria-pressed={open === "info"}
        onPress={() => toggle("info")}
      />
      <CallButton
        label={t("panels.people")}
        hint="Ctrl+Alt+P"
        look={look("people")}
        icon={<Users size={20} />}
        badge={
          counts.waiting > 0 ? (
            <Count value={counts.waiting} look="waiting" />
          ) : (
            <Count value={counts.people} look="plain" />
          )
        }
        description={
          counts.waiting > 0
            ? t("panels.waiting", { count: counts.waiting })
            : t("panels.inMeeting", { count: counts.people })
        }
        aria-pressed={open === "people"}
        onPress={() => toggle("people")}
      />
      <CallButton
        label={t("panels.chat")}
        hint="Ctrl+Alt+C"
        look={look("chat")}
        icon={<MessageSquare size={20} />}
        badge={counts.unread > 0 ? <Count value={counts.unread} look="new" /> : null}
        description={counts.unread > 0 ? t("panels.unread", { count: counts.unread }) : null}
        aria-pressed={open === "chat"}
        onPress={() => toggle("chat")}
      />
      <CallButton
        label={t("panels.polls")}
        look={look("polls")}
        icon={<ChartColumn size={20} />}
        badge={counts.polls > 0 ? <Count value={counts.polls} look="new" /> : null}
        description={counts.polls > 0 ? t("panels.pollsWaiting", { count: counts.polls }) : null}
        aria-pressed={open === "polls"}
        onPress={() => toggle("polls")}
      />
      {offered.has("breakouts") ? (
        <CallButton
          label={t("panels.breakouts")}
          look={look("breakouts")}
          icon={<Blocks size={20} />}
          aria-pressed={open === "breakouts"}
          onPress={() => toggle("breakouts")}
        />
      ) : null}
      {offered.has("hosting") ? (
        <CallButton
          label={t("panels.hosting")}
          look={look("hosting")}
          icon={<SlidersHorizontal size={20} />}
          aria-pressed={open === "hosting"}
          onPress={() => toggle("hosting")}
        />
      ) : null}
    </Toolbar>
  );
}

interface CountProps {
  readonly value: number;
  readonly look: "plain" | "new" | "waiting";
}

/**
 * A number on a button. The style sheet draws it, so that the button's text is only its name; the
 * button's description says what it means.
 */
function Count({ value, look }: CountProps) {
  return (
    <span
      className={`call-button-badge call-button-badge-${look}`}
      data-count={value > 99 ? "99+" : value}
    />
  );
}
