import { isOwnHost, type You } from "@conclave/client";
import { useObservable } from "@conclave/ui/use-observable";
import { useEffect } from "react";
import { ChatPanel } from "../features/chat/chat-panel";
import { playChime } from "../features/devices/chime";
import { DeviceNotices } from "../features/devices/device-notices";
import { SettingsSheet } from "../features/devices/settings-sheet";
import { HostControlsPanel } from "../features/hosting/host-controls-panel";
import type { LiveMeeting } from "../features/live/live-meeting";
import { MeetingScreen, type ScreenTools } from "../features/live/meeting-screen";
import type { PeopleActs, Powers } from "../features/people/people-acts";
import { PeoplePanel } from "../features/people/people-panel";

/** Somebody at the door must not drown whoever speaks. */
const softly = 0.08;

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
      peoplePanel={(tools) => <People meeting={meeting} tools={tools} />}
      chatPanel={<Chat meeting={meeting} />}
      onKnock={() => void playChime(meeting.localMedia.chosen("speaker").get(), softly)}
      hostPanel={<Hosting meeting={meeting} />}
      deviceNotices={<DeviceNotices media={meeting.localMedia} />}
      settings={(isOpen, close) => (
        <SettingsSheet media={meeting.localMedia} isOpen={isOpen} onClose={close} />
      )}
    />
  );
}

interface PeopleProps {
  readonly meeting: LiveMeeting;
  readonly tools: ScreenTools;
}

function People({ meeting, tools }: PeopleProps) {
  const room = useObservable(meeting.room);
  const you = useObservable(meeting.you);
  const people = useObservable(meeting.people);
  const waiting = useObservable(meeting.waiting);
  return (
    <PeoplePanel
      people={people}
      waiting={waiting}
      isWebinar={room?.type === "webinar"}
      powers={powersOf(you)}
      pinned={tools.pinned}
      acts={actsOf(meeting, tools)}
    />
  );
}

function powersOf(you: You | null): Powers {
  if (you?.role !== "host") return "none";
  return isOwnHost(you) ? "host" : "cohost";
}

function actsOf(meeting: LiveMeeting, { onPin, onFailure }: ScreenTools): PeopleActs {
  const attempt = (doing: Promise<void>) => void doing.catch(onFailure);
  return {
    pin: onPin,
    mute: (identity) => attempt(meeting.muteParticipant(identity)),
    muteAll: () => attempt(meeting.muteAll()),
    answer: (identity, decision) => attempt(meeting.answerKnock(identity, decision)),
    admitAll: () => attempt(meeting.admitAll()),
    remove: (identity) => attempt(meeting.removeParticipant(identity)),
    setCohost: (identity, cohost) => attempt(meeting.setCohost(identity, cohost)),
    setStage: (identity, onStage) => attempt(meeting.setStage(identity, onStage)),
  };
}

function Hosting({ meeting }: { readonly meeting: LiveMeeting }) {
  const room = useObservable(meeting.room);
  if (!room) return null;
  return <HostControlsPanel room={room} onChange={(change) => meeting.changeRoom(change)} />;
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
