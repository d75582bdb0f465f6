import { type ReactionEmoji, ScreenSource } from "@conclave/client";
import { CallButton } from "@conclave/ui/call-button";
import { CallToolbar } from "@conclave/ui/call-toolbar";
import {
  Hand,
  LogOut,
  Mic,
  MicOff,
  ScreenShare,
  ScreenShareOff,
  Video,
  VideoOff,
} from "lucide-react";
import type { ReactNode, Ref } from "react";
import { useTranslation } from "react-i18next";
import { LeaveMenu } from "./leave-menu";
import { MoreMenu, type MoreMenuProps } from "./more-menu";
import { ReactMenu } from "./react-menu";
import type { Controls } from "./use-controls";
import "./meeting-controls.css";

export interface MeetingControlsProps extends Omit<MoreMenuProps, "onReact" | "screen"> {
  readonly controls: Controls;
  /** For those who may record. */
  readonly recordButton: ReactNode;
  readonly isNarrow: boolean;
  readonly onReact: (emoji: ReactionEmoji) => void;
  readonly onLeave: () => void;
  /** Ends the meeting for everyone; null for people who may not. */
  readonly onEnd: (() => void) | null;
  readonly firstButton: Ref<HTMLButtonElement>;
}

/** The toolbar at the bottom, with the meeting's main controls. */
export function MeetingControls(props: MeetingControlsProps) {
  const { controls, recordButton, isNarrow, onReact, onLeave, onEnd, firstButton, ...more } = props;
  const { t } = useTranslation();
  const { may } = controls;
  const maySharing = may.screen_share && ScreenSource.isSupported;
  return (
    <CallToolbar className="meeting-controls" label={t("controls.toolbar")}>
      <SourceButtons
        controls={controls}
        hasScreen={maySharing && !isNarrow}
        firstButton={firstButton}
      />
      {may.reactions && !isNarrow ? <ReactMenu onReact={onReact} /> : null}
      <CallButton
        {...(may.microphone ? {} : { ref: firstButton })}
        label={controls.hand ? t("controls.lowerHand") : t("controls.raiseHand")}
        hint="Ctrl+Alt+H"
        look={controls.hand ? "on" : "plain"}
        icon={<Hand size={20} />}
        onPress={controls.toggleHand}
      />
      {recordButton}
      <MoreMenu
        {...more}
        onReact={may.reactions && isNarrow ? onReact : null}
        screen={
          maySharing && isNarrow
            ? { sharing: controls.sharing, toggle: controls.toggleScreen }
            : null
        }
      />
      <span className="meeting-controls-leave">
        {onEnd ? (
          <LeaveMenu onLeave={onLeave} onEnd={onEnd} />
        ) : (
          <CallButton
            label={t("controls.leave")}
            look="leave"
            icon={<LogOut size={20} />}
            onPress={onLeave}
          />
        )}
      </span>
    </CallToolbar>
  );
}

interface SourceButtonsProps {
  readonly controls: Controls;
  /** Whether the screen has its button here. */
  readonly hasScreen: boolean;
  readonly firstButton: Ref<HTMLButtonElement>;
}

/** Turns on and off what others see and hear of the person. */
function SourceButtons({ controls, hasScreen, firstButton }: SourceButtonsProps) {
  const { t } = useTranslation();
  const { may } = controls;
  return (
    <>
      {may.microphone ? (
        <CallButton
          ref={firstButton}
          label={controls.microphone ? t("controls.mute") : t("controls.unmute")}
          hint="Ctrl+D"
          look={controls.microphone ? "plain" : "off"}
          icon={controls.microphone ? <Mic size={20} /> : <MicOff size={20} />}
          onPress={controls.toggleMicrophone}
        />
      ) : null}
      {may.camera ? (
        <CallButton
          label={controls.camera ? t("controls.stopCamera") : t("controls.startCamera")}
          hint="Ctrl+E"
          look={controls.camera ? "plain" : "off"}
          icon={controls.camera ? <Video size={20} /> : <VideoOff size={20} />}
          onPress={controls.toggleCamera}
        />
      ) : null}
      {hasScreen ? (
        <CallButton
          label={controls.sharing ? t("controls.stopSharing") : t("controls.shareScreen")}
          look={controls.sharing ? "on" : "plain"}
          icon={controls.sharing ? <ScreenShareOff size={20} /> : <ScreenShare size={20} />}
          onPress={controls.toggleScreen}
        />
      ) : null}
    </>
  );
}
