import { keepFocusIn } from "@conclave/ui/keep-focus";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Banners } from "./banners";
import { InfoPanel } from "./info-panel";
import type { Invitation } from "./invitation";
import type { LiveMeeting } from "./live-meeting";
import { MeetingFoot } from "./meeting-foot";
import { MeetingTiles } from "./meeting-tiles";
import { MeetingTitle } from "./meeting-title";
import { Panel } from "./panel";
import { PanelControls, type PanelCounts } from "./panel-controls";
import type { PanelName } from "./panel-state";
import { ShortcutsSheet } from "./shortcuts-sheet";
import { useFullScreen } from "./use-full-screen";
import type { Screen } from "./use-screen";
import "./meeting-screen.css";

export interface MeetingScreenProps {
  readonly meeting: LiveMeeting;
  readonly screen: Screen;
  readonly invitation: Invitation;
  /** What features show in their panels. */
  readonly panels: Readonly<Record<Exclude<PanelName, "info">, ReactNode>>;
  readonly counts: PanelCounts;
  /** How the meeting is encrypted, for the panel with information. */
  readonly encryption: ReactNode;
  /** The same as a sign in the header. */
  readonly encryptionSign: ReactNode;
  /** What features show above the tiles. */
  readonly banners: ReactNode;
  /** Tells screen readers what happens. */
  readonly announcer: ReactNode;
  /** Says in the header which room of the meeting the person is in. */
  readonly placeSign: ReactNode;
  /** For those who may record. */
  readonly recordButton: ReactNode;
  /** The same in the menu "More", where the toolbar has no room for it. */
  readonly recordEntry: ReactNode;
  /** Says in the header that the meeting is recorded, where no banner does. */
  readonly recordingSign: ReactNode;
  readonly settings: (isOpen: boolean, close: () => void) => ReactNode;
  /** A dialog over the meeting, when the person has to decide something. */
  readonly question: ReactNode;
}

/** The meeting itself: tiles, toolbars, one panel at a time. */
export function MeetingScreen(props: MeetingScreenProps) {
  const { meeting, screen, invitation, panels, encryption, counts, settings } = props;
  const [sheet, setSheet] = useState<"settings" | "shortcuts" | null>(null);
  const fullScreen = useFullScreen();
  const panelControls = <PanelControls panels={screen.panels} counts={counts} />;
  const closeSheet = () => setSheet(null);
  return (
    <div ref={useFocus()} className={`meeting${fullScreen.isIdle ? " meeting-idle" : ""}`}>
      <header className="meeting-head">
        <MeetingTitle
          meeting={meeting}
          encryptionSign={props.encryptionSign}
          recordingSign={props.recordingSign}
        />
        {props.placeSign}
        {screen.hasPanelsOnTop ? panelControls : null}
      </header>
      <div className="meeting-middle">
        <Banners meeting={meeting} failure={screen.failure} isSingle={screen.isNarrow}>
          {props.banners}
        </Banners>
        <MeetingTiles meeting={meeting} view={screen.view} invitation={invitation} />
        <OpenPanel
          screen={screen}
          contents={{
            ...panels,
            info: <InfoPanel meeting={meeting} invitation={invitation} encryption={encryption} />,
          }}
        />
      </div>
      <MeetingFoot
        meeting={meeting}
        screen={screen}
        fullScreen={fullScreen}
        recordButton={props.recordButton}
        recordEntry={props.recordEntry}
        panelControls={screen.hasPanelsOnTop ? null : panelControls}
        onSheet={setSheet}
      />
      {props.announcer}
      {settings(sheet === "settings", closeSheet)}
      <ShortcutsSheet meeting={meeting} isOpen={sheet === "shortcuts"} onClose={closeSheet} />
      {props.question}
    </div>
  );
}

/**
 * Gives the focus to the tiles when nothing has it: the button that led here is gone, and later so
 * are the buttons of banners that have been answered.
 */
function useFocus(): RefObject<HTMLDivElement | null> {
  const screen = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tiles = screen.current?.querySelector("main");
    if (!screen.current || !tiles) return undefined;
    if (document.activeElement === document.body) tiles.focus({ preventScroll: true });
    return keepFocusIn(screen.current, tiles);
  }, []);
  return screen;
}

interface OpenPanelProps {
  readonly screen: Screen;
  readonly contents: Readonly<Record<PanelName, ReactNode>>;
}

function OpenPanel({ screen: { panels }, contents }: OpenPanelProps) {
  const { t } = useTranslation();
  if (panels.open === null) return null;
  return (
    <Panel
      key={panels.open}
      title={t(`panels.${panels.open}`)}
      takesFocus={panels.news === null}
      onClose={() => panels.choose(null)}
    >
      {contents[panels.open]}
    </Panel>
  );
}
