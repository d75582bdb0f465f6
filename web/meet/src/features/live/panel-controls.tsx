import { CallButton } from "@conclave/ui/call-button";
import { Blocks, ChartColumn, Info, MessageSquare, SlidersHorizontal, Users } from "lucide-react";
import { Toolbar } from "react-aria-components";
import { useTranslation } from "react-i18next";

export type PanelName = "info" | "people" | "chat" | "polls" | "breakouts" | "hosting";

export interface PanelControlsProps {
  readonly open: PanelName | null;
  readonly onToggle: (panel: PanelName) => void;
  readonly peopleCount: number;
  /** How many knock: they are what a host has to see first. */
  readonly waitingCount: number;
  readonly unreadCount: number;
  /** How many polls wait for the person's vote. */
  readonly pollCount: number;
  readonly hasBreakouts: boolean;
  readonly hasHostControls: boolean;
}

/** The toolbar that opens and closes the panels. */
export function PanelControls(props: PanelControlsProps) {
  const { open, onToggle, peopleCount, waitingCount, unreadCount, pollCount } = props;
  const { hasBreakouts, hasHostControls } = props;
  const { t } = useTranslation();
  const look = (panel: PanelName) => (open === panel ? "on" : "plain");
  return (
    <Toolbar className="panel-controls" aria-label={t("panels.toolbar")}>
      <CallButton
        label={t("panels.info")}
        look={look("info")}
        icon={<Info size={20} />}
        aria-pressed={open === "info"}
        onPress={() => onToggle("info")}
      />
      <CallButton
        label={t("panels.people")}
        hint="Ctrl+Alt+P"
        look={look("people")}
        icon={<Users size={20} />}
        badge={
          waitingCount > 0 ? (
            <Count value={waitingCount} look="waiting" />
          ) : (
            <Count value={peopleCount} look="plain" />
          )
        }
        description={
          waitingCount > 0
            ? t("panels.waiting", { count: waitingCount })
            : t("panels.inMeeting", { count: peopleCount })
        }
        aria-pressed={open === "people"}
        onPress={() => onToggle("people")}
      />
      <CallButton
        label={t("panels.chat")}
        hint="Ctrl+Alt+C"
        look={look("chat")}
        icon={<MessageSquare size={20} />}
        badge={unreadCount > 0 ? <Count value={unreadCount} look="new" /> : null}
        description={unreadCount > 0 ? t("panels.unread", { count: unreadCount }) : null}
        aria-pressed={open === "chat"}
        onPress={() => onToggle("chat")}
      />
      <CallButton
        label={t("panels.polls")}
        look={look("polls")}
        icon={<ChartColumn size={20} />}
        badge={pollCount > 0 ? <Count value={pollCount} look="new" /> : null}
        description={pollCount > 0 ? t("panels.pollsWaiting", { count: pollCount }) : null}
        aria-pressed={open === "polls"}
        onPress={() => onToggle("polls")}
      />
      {hasBreakouts ? (
        <CallButton
          label={t("panels.breakouts")}
          look={look("breakouts")}
          icon={<Blocks size={20} />}
          aria-pressed={open === "breakouts"}
          onPress={() => onToggle("breakouts")}
        />
      ) : null}
      {hasHostControls ? (
        <CallButton
          label={t("panels.hosting")}
          look={look("hosting")}
          icon={<SlidersHorizontal size={20} />}
          aria-pressed={open === "hosting"}
          onPress={() => onToggle("hosting")}
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
 * Its meaning is in the button's description. The figure is drawn by the style sheet, so that the
 * button's text stays its name and nothing else.
 */
function Count({ value, look }: CountProps) {
  return (
    <span
      className={`call-button-badge call-button-badge-${look}`}
      data-count={value > 99 ? "99+" : value}
    />
  );
}
