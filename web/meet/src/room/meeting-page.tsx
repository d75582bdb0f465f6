import { isOwnHost, type You } from "@conclave/client";
import { useObservable } from "@conclave/ui/use-observable";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { ChatPanel } from "../features/chat/chat-panel";
import { playChime } from "../features/devices/chime";
import { DeviceNotices } from "../features/devices/device-notices";
import { SettingsSheet } from "../features/devices/settings-sheet";
import { HostControlsPanel } from "../features/hosting/host-controls-panel";
import type { LiveMeeting } from "../features/live/live-meeting";
import { MeetingScreen, type ScreenTools } from "../features/live/meeting-screen";
import type { PeopleActs, Powers, RoomName } from "../features/people/people-acts";
import { PeoplePanel } from "../features/people/people-panel";
import { PollPanel } from "../features/poll/poll-panel";
import { breakoutPartsOf } from "./breakout-parts";
import { useRecordingParts } from "./recording-parts";

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
  const recording = useRecordingParts(meeting);
  return (
    <MeetingScreen
      meeting={meeting}
      recording={recording}
      peoplePanel={(tools) => <People meeting={meeting} tools={tools} />}
      chatPanel={<Chat meeting={meeting} />}
      pollsPanel={(tools) => <AllPolls meeting={meeting} tools={tools} />}
      breakouts={breakoutPartsOf(meeting)}
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
  const rooms = useRooms(meeting);
  return (
    <PeoplePanel
      people={people}
      waiting={waiting}
      isWebinar={room?.type === "webinar"}
      powers={powersOf(you)}
      pinned={tools.pinned}
      rooms={rooms}
      acts={actsOf(meeting, tools)}
    />
  );
}

function AllPolls({ meeting, tools }: PeopleProps) {
  const you = useObservable(meeting.you);
  return (
    <PollPanel polls={meeting.polls} isHost={you?.role === "host"} onFailure={tools.onFailure} />
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
    moveTo: (identity, breakoutId) => attempt(meeting.breakouts.assign(identity, breakoutId)),
  };
}

const noRooms: readonly RoomName[] = [];

/** The rooms that the meeting consists of while breakout rooms are open. */
function useRooms(meeting: LiveMeeting): readonly RoomName[] {
  const { t } = useTranslation();
  const session = useObservable(meeting.breakouts.session);
  if (!session) return noRooms;
  return [{ id: null, name: t("breakout.mainRoom") }, ...session.rooms];
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
      place={useObservable(meeting.breakouts.whereabouts)}
      isOn={room?.settings.chat ?? false}
      onSend={(text) => meeting.sendChat(text)}
    />
  );
}
