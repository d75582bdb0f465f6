import { isOwnHost } from "@conclave/client";
import { useObservable } from "@conclave/ui/use-observable";
import { type ReactNode, useRef } from "react";
import type { LiveMeeting } from "./live-meeting";
import { MeetingControls } from "./meeting-controls";
import { pictureInPictureOf } from "./picture-in-picture";
import { useShortcuts } from "./shortcuts";
import { useControls } from "./use-controls";
import type { FullScreen } from "./use-full-screen";
import type { Screen } from "./use-screen";

export interface MeetingFootProps {
  readonly meeting: LiveMeeting;
  readonly screen: Screen;
  readonly fullScreen: FullScreen;
  readonly recordButton: ReactNode;
  readonly recordEntry: ReactNode;
  /** Null where they are in the header. */
  readonly panelControls: ReactNode;
  readonly onSheet: (sheet: "settings" | "shortcuts") => void;
}

/** The labels are shown where there is room for them beside the panels' buttons. */
function footClass({ hasPanelsOnTop, panels }: Screen): string {
  if (hasPanelsOnTop) return "meeting-foot";
  return `meeting-foot meeting-foot-${panels.offered.size > 4 ? "full" : "shared"}`;
}

/** The toolbars below the tiles, and the keyboard shortcuts for what they do. */
export function MeetingFoot(props: MeetingFootProps) {
  const { meeting, screen, fullScreen, recordButton, panelControls, onSheet } = props;
  const { isNarrow, panels, view, failure } = screen;
  const firstButton = useRef<HTMLButtonElement>(null);
  const you = useObservable(meeting.you);
  const controls = useControls(meeting, failure.report);
  useShortcuts({
    ...controls,
    toggleChat: () => panels.toggle("chat"),
    togglePeople: () => panels.toggle("people"),
    goToToolbar: () => firstButton.current?.focus(),
    showHelp: () => onSheet("shortcuts"),
    talk: (isHeld) => {
      if (isHeld && !controls.may.microphone) return;
      void meeting.localMedia.talk(isHeld).catch(failure.report);
    },
  });
  const end = () => void meeting.hosting.endForEveryone().catch(failure.report);
  return (
    <footer className={footClass(screen)}>
      <MeetingControls
        controls={controls}
        recordButton={recordButton}
        recordEntry={props.recordEntry}
        isNarrow={isNarrow}
        firstButton={firstButton}
        layout={view.layout}
        onLayout={view.setLayout}
        isFullScreen={fullScreen.isOn}
        onFullScreen={fullScreen.toggle}
        onPictureInPicture={pictureInPictureOf(document, failure.report)}
        onSettings={() => onSheet("settings")}
        onShortcuts={() => onSheet("shortcuts")}
        onReact={(emoji) => void meeting.sendReaction(emoji).catch(failure.report)}
        onLeave={() => void meeting.leave().catch(() => {})}
        onEnd={you !== null && isOwnHost(you) ? end : null}
      />
      {panelControls}
    </footer>
  );
}
