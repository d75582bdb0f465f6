import { Confirm } from "@conclave/ui/confirm";
import { OwnLanguage } from "@conclave/ui/own-language";
import { useObservable } from "@conclave/ui/use-observable";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { DeviceNotices } from "../features/devices/device-notices";
import { SettingsSheet } from "../features/devices/settings-sheet";
import { HostControlsPanel } from "../features/hosting/host-controls-panel";
import { type Invitation, invitationTo } from "../features/live/invitation";
import type { LiveMeeting } from "../features/live/live-meeting";
import { MeetingScreen } from "../features/live/meeting-screen";
import { useScreen } from "../features/live/use-screen";
import { useBreakoutParts } from "./breakout-parts";
import { useChatParts } from "./chat-parts";
import { useEncryptionParts } from "./encryption-parts";
import type { LeaveGuard } from "./leave-guard";
import { usePeopleParts } from "./people-parts";
import { usePollParts } from "./poll-parts";
import { useRecordingParts } from "./recording-parts";

export interface MeetingPageProps {
  readonly meeting: LiveMeeting;
  /** The link secret with which this device came; null if its link has none. */
  readonly linkSecret: string | null;
  readonly guard: Pick<LeaveGuard, "isAsking" | "stay" | "unsent">;
}

const nowhere: Invitation = { link: "", hasSecret: false };

/** The page of a running meeting. */
export function MeetingPage(props: MeetingPageProps) {
  const { i18n } = useTranslation();
  return (
    <OwnLanguage language={i18n.language}>
      <Features {...props} />
    </OwnLanguage>
  );
}

/** Puts the features of a meeting together; they do not know each other. */
function Features({ meeting, linkSecret, guard }: MeetingPageProps) {
  useDarkGround();
  const screen = useScreen(meeting);
  const chat = useChatParts(meeting, screen);
  const people = usePeopleParts(meeting, screen, chat.unread);
  const polls = usePollParts(meeting, screen);
  const breakouts = useBreakoutParts(meeting, screen);
  const recording = useRecordingParts(meeting, screen, guard.unsent);
  const encryption = useEncryptionParts(meeting, screen, linkSecret !== null);
  const room = useObservable(meeting.room);
  return (
    <MeetingScreen
      meeting={meeting}
      screen={screen}
      invitation={room ? invitationTo(room, linkSecret) : nowhere}
      encryption={encryption.section}
      encryptionSign={encryption.sign}
      panels={{
        people: people.panel,
        chat: chat.panel,
        polls: polls.panel,
        breakouts: breakouts.panel,
        hosting: <HostControls meeting={meeting} />,
      }}
      counts={{
        people: people.count,
        waiting: people.waiting,
        unread: chat.unread,
        polls: polls.waiting,
      }}
      banners={
        <>
          {encryption.banners}
          {recording.banners}
          <DeviceNotices media={meeting.localMedia} />
          {breakouts.banners}
          {polls.banners}
          {people.banners}
        </>
      }
      announcer={people.announcer}
      placeSign={breakouts.sign}
      recordButton={recording.button}
      recordEntry={recording.entry}
      recordingSign={recording.sign}
      settings={(isOpen, close) => (
        <SettingsSheet media={meeting.localMedia} isOpen={isOpen} onClose={close} />
      )}
      question={<LeaveQuestion meeting={meeting} guard={guard} />}
    />
  );
}

/** A call is dark in both themes, and so are its menus, which open outside of the screen. */
function useDarkGround(): void {
  useEffect(() => {
    document.documentElement.dataset["ground"] = "call";
    return () => {
      delete document.documentElement.dataset["ground"];
    };
  }, []);
}

/** Asks a person who goes back in the browser whether they want to leave. */
function LeaveQuestion({ meeting, guard }: Pick<MeetingPageProps, "meeting" | "guard">) {
  const { t } = useTranslation();
  if (!useObservable(guard.isAsking)) return null;
  return (
    <Confirm
      title={t("controls.leaveTitle")}
      text={t("controls.leaveText")}
      confirmLabel={t("controls.leave")}
      cancelLabel={t("controls.stay")}
      onConfirm={() => void meeting.leave().catch(() => {})}
      onCancel={() => guard.stay()}
    />
  );
}

function HostControls({ meeting }: { readonly meeting: LiveMeeting }) {
  const room = useObservable(meeting.room);
  if (!room) return null;
  return <HostControlsPanel room={room} onChange={(change) => meeting.changeRoom(change)} />;
}
