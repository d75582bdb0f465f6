import type { ReactionEmoji } from "@conclave/client";
import { useObservable } from "@conclave/ui/use-observable";
import { type ReactNode, useCallback, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { AloneCard } from "./alone-card";
import { Announcer } from "./announcer";
import { Banners } from "./banners";
import { InfoPanel } from "./info-panel";
import type { LiveMeeting } from "./live-meeting";
import { MeetingControls } from "./meeting-controls";
import { Panel } from "./panel";
import { PanelControls, type PanelName } from "./panel-controls";
import { pictureInPictureOf } from "./picture-in-picture";
import { useShortcuts } from "./shortcuts";
import { ShortcutsSheet } from "./shortcuts-sheet";
import { Stage } from "./stage";
import type { Layout } from "./stage-plan";
import { useControls } from "./use-controls";
import { useFullScreen } from "./use-full-screen";
import { narrow, useMediaQuery } from "./use-media-query";
import { useUnread } from "./use-unread";
import "./meeting-screen.css";

export interface MeetingScreenProps {
  readonly meeting: LiveMeeting;
  readonly peoplePanel: ReactNode;
  readonly chatPanel: ReactNode;
  readonly deviceNotices: ReactNode;
  readonly settings: (isOpen: boolean, close: () => void) => ReactNode;
}

/** The meeting itself: stage, toolbars, one panel at a time. */
export function MeetingScreen(props: MeetingScreenProps) {
  const { meeting, peoplePanel, chatPanel, deviceNotices, settings } = props;
  const { t } = useTranslation();
  const [layout, setLayout] = useState<Layout>("grid");
  const [pinned, setPinned] = useState<string | null>(null);
  const [panel, setPanel] = useState<PanelName | null>(null);
  const [sheet, setSheet] = useState<"settings" | "shortcuts" | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const firstButton = useRef<HTMLButtonElement>(null);
  const people = useObservable(meeting.people);
  const reactions = useObservable(meeting.reactions);
  const room = useObservable(meeting.room);
  const unread = useUnread(useObservable(meeting.chat), panel === "chat");
  const isNarrow = useMediaQuery(narrow);
  const fullScreen = useFullScreen();
  const onFailure = useCallback(() => setFailure(t("controls.failed")), [t]);
  const controls = useControls(meeting, onFailure);
  const toggle = (name: PanelName) => setPanel((open) => (open === name ? null : name));
  const react = (emoji: ReactionEmoji) => void meeting.sendReaction(emoji).catch(onFailure);

  useShortcuts({
    ...controls,
    toggleChat: () => toggle("chat"),
    togglePeople: () => toggle("people"),
    goToToolbar: () => firstButton.current?.focus(),
    showHelp: () => setSheet("shortcuts"),
    talk: (isHeld) => {
      if (controls.may.microphone && controls.microphone !== isHeld) controls.toggleMicrophone();
    },
  });

  const panels = (
    <PanelControls
      open={panel}
      onToggle={toggle}
      peopleCount={people.length}
      unreadCount={unread}
    />
  );

  return (
    <div className={`meeting${fullScreen.isIdle ? " meeting-idle" : ""}`}>
      <header className="meeting-head">
        <h1 className="meeting-name" dir="auto">
          {room?.name}
        </h1>
        {isNarrow ? panels : null}
      </header>
      <div className="meeting-middle">
        <Banners meeting={meeting} failure={failure} onFailureSeen={() => setFailure(null)}>
          {deviceNotices}
        </Banners>
        <Stage
          people={people}
          reactions={reactions}
          layout={layout}
          pinned={pinned}
          onPin={setPinned}
          alone={<AloneCard meeting={meeting} />}
        />
        {panel === null ? null : (
          <Panel key={panel} title={t(`panels.${panel}`)} onClose={() => setPanel(null)}>
            {panel === "info" ? <InfoPanel meeting={meeting} /> : null}
            {panel === "people" ? peoplePanel : null}
            {panel === "chat" ? chatPanel : null}
          </Panel>
        )}
      </div>
      <footer className="meeting-foot">
        <MeetingControls
          controls={controls}
          isNarrow={isNarrow}
          firstButton={firstButton}
          layout={layout}
          onLayout={(next) => {
            setLayout(next);
            setPinned(null);
          }}
          isFullScreen={fullScreen.isOn}
          onFullScreen={fullScreen.toggle}
          onPictureInPicture={pictureInPictureOf(document, onFailure)}
          onSettings={() => setSheet("settings")}
          onShortcuts={() => setSheet("shortcuts")}
          onReact={react}
          onLeave={() => void meeting.leave().catch(() => {})}
        />
        {isNarrow ? null : panels}
      </footer>
      <Announcer people={people} />
      {settings(sheet === "settings", () => setSheet(null))}
      <ShortcutsSheet isOpen={sheet === "shortcuts"} onClose={() => setSheet(null)} />
    </div>
  );
}
