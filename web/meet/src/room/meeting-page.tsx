import { useObservable } from "@conclave/ui/use-observable";
import { useEffect } from "react";
import { DeviceNotices } from "../features/devices/device-notices";
import { SettingsSheet } from "../features/devices/settings-sheet";
import { HostControlsPanel } from "../features/hosting/host-controls-panel";
import type { LiveMeeting } from "../features/live/live-meeting";
import { MeetingScreen } from "../features/live/meeting-screen";
import { useScreen } from "../features/live/use-screen";
import { breakoutPartsOf } from "./breakout-parts";
import { useChatParts } from "./chat-parts";
import { usePeopleParts } from "./people-parts";
import { usePollParts } from "./poll-parts";
import { useRecordingParts } from "./recording-parts";

/** Puts the features of a meeting together; they do not know each other. */
export function MeetingPage({ meeting }: { readonly meeting: LiveMeeting }) {
  useDarkGround();
  const screen = useScreen(meeting);
  const people = usePeopleParts(meeting, screen);
  const chat = useChatParts(meeting, screen);
  const polls = usePollParts(meeting, screen);
  const breakouts = breakoutPartsOf(meeting, screen);
  const recording = useRecordingParts(meeting, screen);
  return (
    <MeetingScreen
      meeting={meeting}
      screen={screen}
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
          {recording.banners}
          <DeviceNotices media={meeting.localMedia} />
          {breakouts.banners}
          {polls.banners}
          {people.banners}
        </>
      }
      placeSign={breakouts.sign}
      recordButton={recording.button}
      settings={(isOpen, close) => (
        <SettingsSheet media={meeting.localMedia} isOpen={isOpen} onClose={close} />
      )}
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

function HostControls({ meeting }: { readonly meeting: LiveMeeting }) {
  const room = useObservable(meeting.room);
  if (!room) return null;
  return <HostControlsPanel room={room} onChange={(change) => meeting.changeRoom(change)} />;
}
