import { useObservable } from "@conclave/ui/use-observable";
import { useEffect } from "react";
import { ChatPanel } from "../features/chat/chat-panel";
import { DeviceNotices } from "../features/devices/device-notices";
import { SettingsSheet } from "../features/devices/settings-sheet";
import type { LiveMeeting } from "../features/live/live-meeting";
import { MeetingScreen } from "../features/live/meeting-screen";
import { PeoplePanel } from "../features/people/people-panel";

/** Puts the features of a meeting together; they do not know each other. */
export function MeetingPage({ meeting }: { readonly meeting: LiveMeeting }) {
  // A call is dark in both themes, and so are the menus that open outside of it.
  useEffect(() => {
    document.documentElement.dataset["ground"] = "call";
    return () => {
      delete document.documentElement.dataset["ground"];
    };
  }, []);
  return (
    <MeetingScreen
      meeting={meeting}
      peoplePanel={<People meeting={meeting} />}
      chatPanel={<Chat meeting={meeting} />}
      deviceNotices={<DeviceNotices media={meeting.localMedia} />}
      settings={(isOpen, close) => (
        <SettingsSheet media={meeting.localMedia} isOpen={isOpen} onClose={close} />
      )}
    />
  );
}

function People({ meeting }: { readonly meeting: LiveMeeting }) {
  return <PeoplePanel people={useObservable(meeting.people)} />;
}

function Chat({ meeting }: { readonly meeting: LiveMeeting }) {
  const room = useObservable(meeting.room);
  const messages = useObservable(meeting.chat);
  return (
    <ChatPanel
      messages={messages}
      isOn={room?.settings.chat ?? false}
      onSend={(text) => meeting.sendChat(text)}
    />
  );
}
