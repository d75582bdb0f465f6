import { CallButton, type CallButtonProps } from "@conclave/ui/call-button";
import { CallToolbar } from "@conclave/ui/call-toolbar";
import { Blocks, ChartColumn, Info, MessageSquare, SlidersHorizontal, Users } from "lucide-react";
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
  const { offered } = panels;
  const { t } = useTranslation();
  return (
    <CallToolbar className="panel-controls" label={t("panels.toolbar")}>
      <PanelButton
        panel="info"
        panels={panels}
        label={t("panels.info")}
        icon={<Info size={20} />}
      />
      <PeopleButton panels={panels} counts={counts} />
      <PanelButton
        panel="chat"
        panels={panels}
        label={t("panels.chat")}
        hint="Ctrl+Alt+C"
        icon={<MessageSquare size={20} />}
        badge={counts.unread > 0 ? <Count value={counts.unread} look="new" /> : null}
        description={counts.unread > 0 ? t("panels.unread", { count: counts.unread }) : null}
      />
      <PanelButton
        panel="polls"
        panels={panels}
        label={t("panels.polls")}
        icon={<ChartColumn size={20} />}
        badge={counts.polls > 0 ? <Count value={counts.polls} look="new" /> : null}
        description={counts.polls > 0 ? t("panels.pollsWaiting", { count: counts.polls }) : null}
      />
      {offered.has("breakouts") ? (
        <PanelButton
          panel="breakouts"
          panels={panels}
          label={t("panels.breakouts")}
          icon={<Blocks size={20} />}
        />
      ) : null}
      {offered.has("hosting") ? (
        <PanelButton
          panel="hosting"
          panels={panels}
          label={t("panels.hosting")}
          icon={<SlidersHorizontal size={20} />}
        />
      ) : null}
    </CallToolbar>
  );
}

/** With the number of people who wait, as long as somebody does. */
function PeopleButton({ panels, counts: { people, waiting } }: PanelControlsProps) {
  const { t } = useTranslation();
  return (
    <PanelButton
      panel="people"
      panels={panels}
      label={t("panels.people")}
      hint="Ctrl+Alt+P"
      icon={<Users size={20} />}
      badge={
        waiting > 0 ? (
          <Count value={waiting} look="waiting" />
        ) : (
          <Count value={people} look="plain" />
        )
      }
      description={
        waiting > 0
          ? t("panels.waiting", { count: waiting })
          : t("panels.inMeeting", { count: people })
      }
    />
  );
}

interface PanelButtonProps extends CallButtonProps {
  readonly panel: PanelName;
  readonly panels: Panels;
}

/** Opens a panel, or closes it. */
function PanelButton({ panel, panels, ...props }: PanelButtonProps) {
  const isOpen = panels.open === panel;
  return (
    <CallButton
      {...props}
      look={isOpen ? "on" : "plain"}
      aria-pressed={isOpen}
      onPress={() => panels.toggle(panel)}
    />
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
