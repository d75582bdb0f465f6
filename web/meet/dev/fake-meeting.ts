import {
  type BreakoutSession,
  type ChatMessage,
  mainRoom,
  type Person,
  type Reaction,
  type RoomInfo,
  type VideoView,
  type Whereabouts,
} from "@conclave/client";
import { type Device, type DeviceKind, type LocalSource, Value } from "@conclave/client/pre-join";
import type { LiveMeeting } from "../src/features/live/live-meeting";
import { fakeGroup } from "./fake-group";
import { fakePerson } from "./fake-person";
import { fakePolls } from "./fake-polls";
import { fakeRecordings } from "./fake-recordings";

/** A fake meeting, to look at the interface while working on it. */

export const room: RoomInfo = {
  id: "00000000-0000-7000-8000-000000000000",
  name: "Weekly planning",
  code: "abc-defg-hjk",
  url: "https://meet.example.com/abc-defg-hjk",
  type: "meeting",
  encryption: "standard",
  recordings: "workspace",
  locked: false,
  settings: {
    access: "link",
    admission: "direct",
    mute_on_entry: false,
    camera_off_on_entry: false,
    screen_share: "everyone",
    reactions: true,
    chat: true,
  },
};

const names = [
  "Ada Lovelace",
  "Grace Hopper",
  "Katherine Coleman Goble Johnson of the Langley Research Cent",
  "ליאת בן־דוד",
  "Alan Turing",
  "Mary Jackson",
  "محمد بن موسى الخوارزمي",
  "Barbara Liskov",
  "李 明",
  "Radia Perlman",
  "Edsger Dijkstra",
  "Margaret Hamilton",
];

/** A moving picture for a tile. */
function painting(hue: number, text: string): VideoView {
  const canvas = document.createElement("canvas");
  canvas.width = 640;
  canvas.height = 360;
  const context = canvas.getContext("2d");
  let frame = 0;
  setInterval(() => {
    if (!context) return;
    frame += 1;
    context.fillStyle = `hsl(${hue} 32% 38%)`;
    context.fillRect(0, 0, 640, 360);
    context.fillStyle = `hsl(${hue} 40% 74%)`;
    context.beginPath();
    context.arc(320, 150 + Math.sin(frame / 20) * 4, 78, 0, 7);
    context.fill();
    context.beginPath();
    context.ellipse(320, 370, 150, 130, 0, 0, 7);
    context.fill();
    context.fillStyle = "white";
    context.fillText(text, 20, 30);
  }, 50);
  const stream = canvas.captureStream(20);
  return {
    id: text,
    paused: false,
    attach: (element) => {
      element.srcObject = stream;
      return () => {
        element.srcObject = null;
      };
    },
  };
}

export interface Script {
  readonly count: number;
  readonly screen: boolean;
  readonly trouble: boolean;
  /** `plan`: a host who is about to open rooms; `host`, `guest`, `choose`: rooms are open. */
  readonly breakouts: string | null;
  readonly strict: boolean;
  readonly locked: boolean;
  readonly sharing: boolean;
  readonly recording: boolean;
}

function people({ count, screen, sharing, trouble }: Script): readonly Person[] {
  return Array.from({ length: count }, (_, index): Person => {
    const name = names[index % names.length] ?? "Someone";
    const hasCamera = index % 3 !== 1;
    return fakePerson(`guest_${index}.x`, {
      name,
      role: index === 0 || index === 2 ? "host" : "participant",
      cohost: index === 2,
      avatar: index % 2 === 0 ? null : `a${String((index % 16) + 1).padStart(2, "0")}`,
      handRaised: index === 3 || index === 4,
      handRaisedAt: index === 3 || index === 4 ? `2026-01-01T00:00:0${index}.000Z` : null,
      joinedAt: "2026-01-01T00:00:00.000Z",
      spotlitAt: null,
      isMe: index === 0,
      microphone: index % 4 !== 2,
      camera: hasCamera ? painting((index * 47) % 360, name) : null,
      screen:
        (screen && index === 1) || (sharing && index === 0)
          ? painting(210, "A shared screen")
          : null,
      speaking: index === 1,
      quality: index === 5 ? "poor" : "excellent",
      protection: trouble && index === 2 ? "key_mismatch" : "encrypted",
    });
  });
}

const chat: readonly ChatMessage[] = [
  {
    id: "1",
    from: "guest_1.x",
    name: "Grace Hopper",
    text: "The agenda is here: https://example.com/agenda.",
    sentAt: 1_760_000_000_000,
    mine: false,
    place: mainRoom,
  },
  {
    id: "2",
    from: "guest_1.x",
    name: "Grace Hopper",
    text: "Two points today.",
    sentAt: 1_760_000_010_000,
    mine: false,
    place: mainRoom,
  },
  {
    id: "3",
    from: "guest_0.x",
    name: "Ada Lovelace",
    text: "Thanks. I would like to begin with the second.",
    sentAt: 1_760_000_070_000,
    mine: true,
    place: mainRoom,
  },
  {
    id: "4",
    from: "guest_3.x",
    name: "ליאת בן־דוד",
    text: "בסדר גמור, נתחיל עם השני.",
    sentAt: 1_760_000_150_000,
    mine: false,
    place: mainRoom,
  },
];

/** A message of the person who uses the page. */
function ownMessage(index: number, text: string): ChatMessage {
  return {
    id: String(index + 1),
    from: "guest_0.x",
    name: "Ada Lovelace",
    text,
    sentAt: Date.now(),
    mine: true,
    place: mainRoom,
  };
}

const knocking = {
  identity: "guest_20.x",
  name: "Hypatia of Alexandria",
  avatar: "a09",
  since: "2026-01-01T00:00:00.000Z",
};

const devices: Record<DeviceKind, readonly Device[]> = {
  microphone: [
    { id: "default", label: "Default - Built-in microphone" },
    { id: "m2", label: "USB microphone with a rather long name" },
  ],
  camera: [{ id: "c1", label: "Built-in camera" }],
  speaker: [{ id: "default", label: "Default - Headphones" }],
};

export function fakeMedia(microphoneOn: boolean, cameraOn: boolean): LiveMeeting["localMedia"] {
  const microphone = new Value<LocalSource>({ on: microphoneOn, track: null, problem: null });
  const camera = new Value<LocalSource>({
    on: cameraOn,
    track: null,
    problem: cameraOn ? null : "blocked",
  });
  const chosen = new Value("default");
  let isTalking = false;
  return {
    microphone,
    camera,
    devices: new Value(devices),
    chosen: () => chosen,
    setMicrophone: async (on) => microphone.update((source) => ({ ...source, on })),
    talk: async (isHeld) => {
      if (isHeld ? microphone.get().on : !isTalking) return;
      isTalking = isHeld;
      microphone.update((source) => ({ ...source, on: isHeld }));
    },
    get isTalking() {
      return isTalking;
    },
    setCamera: async (on) => camera.update((source) => ({ ...source, on })),
    choose: async (_kind, id) => chosen.set(id),
    refreshDevices: async () => {},
    close: () => {},
  };
}

const garden = { breakoutId: "r2", name: "The garden behind the house with a rather long name" };

function fakeSession(state: string): BreakoutSession {
  const member = (index: number, present = true) => ({
    id: `guest_${index}`,
    name: names[index % names.length] ?? "Someone",
    present,
    can_return: true,
  });
  return {
    id: "s",
    status: "open",
    auto_join: state !== "asked",
    allow_return: true,
    self_select: state === "choose",
    started_at: "2026-01-01T00:00:00.000Z",
    ends_at: "2026-01-01T00:10:00.000Z",
    you: {
      place: state === "guest" ? garden.breakoutId : null,
      assigned: state === "guest" || state === "asked" ? garden.breakoutId : null,
      can_return: true,
      may_choose: state === "choose",
    },
    rooms: [
      { id: "r1", name: "Room 1", members: [member(1), member(2, false)] },
      { id: garden.breakoutId, name: garden.name, members: [member(0), member(3), member(6)] },
      { id: "r3", name: "Room 3", members: [] },
    ],
    unassigned: [{ id: "guest_9", name: "Radia Perlman", present: true }],
  };
}

function fakeBreakouts(state: string | null): LiveMeeting["breakouts"] {
  const nothing = async () => {};
  const isOpen = state !== null && state !== "plan";
  return {
    session: new Value(isOpen ? fakeSession(state) : null),
    whereabouts: new Value<Whereabouts>({
      ...(state === "guest" ? garden : mainRoom),
      movingTo: null,
    }),
    countdown: new Value(isOpen ? 47 : null),
    announcement: new Value(
      isOpen
        ? {
            id: "a",
            message: "Five minutes left: please write down what you have found so far.",
            from: "Hedy Lamarr",
            at: "2026-01-01T00:05:00.000Z",
          }
        : null,
    ),
    dismiss: () => {},
    join: nothing,
    returnToMain: nothing,
    open: nothing,
    assign: nothing,
    addRoom: nothing,
    renameRoom: nothing,
    closeRoom: nothing,
    announce: nothing,
    end: nothing,
  };
}

function fakeYou({ breakouts }: Script) {
  const isGuest = ["guest", "choose", "asked"].includes(breakouts ?? "");
  return {
    identity: "guest_0.x",
    name: "Ada Lovelace",
    role: isGuest ? ("participant" as const) : ("host" as const),
    avatar: null,
    hand_raised: false,
    may: {
      microphone: true,
      camera: true,
      screen_share: true,
      chat: true,
      reactions: true,
      rename: true,
    },
    cohost: false,
    on_stage: false,
    muted_at: null,
    camera_stopped_at: null,
    asked_to_unmute_at: null,
  };
}

const fakeHosting = {
  mute: async () => {},
  muteAll: async () => {},
  stopCamera: async () => {},
  askToUnmute: async () => {},
  setSpotlight: async () => {},
  lowerHand: async () => {},
  lowerAllHands: async () => {},
  answerKnock: async () => {},
  admitAll: async () => {},
  remove: async () => {},
  setCohost: async () => {},
  setStage: async () => {},
  endForEveryone: async () => {},
};

export function fakeMeeting(script: Script): LiveMeeting {
  const localMedia = fakeMedia(true, true);
  const messages = new Value(chat);
  const reactions = new Value<readonly Reaction[]>([
    { id: 1, from: "guest_1.x", name: "Grace Hopper", emoji: "👏" },
  ]);
  const cast = people(script);
  const you = new Value(fakeYou(script));
  return {
    identity: "guest_0.x",
    redirectUrl: null,
    localMedia,
    screen: { capture: new Value(null) },
    breakouts: fakeBreakouts(script.breakouts),
    polls: fakePolls(),
    recordings: fakeRecordings(script.recording),
    phase: new Value(
      script.trouble ? { kind: "reconnecting" as const } : { kind: "connected" as const },
    ),
    room: new Value<RoomInfo>({
      ...room,
      encryption: script.strict ? "strict" : "standard",
      locked: script.locked,
    }),
    you,
    running: new Value({ id: "m", started_at: new Date(Date.now() - 754_000).toISOString() }),
    people: new Value(cast),
    waiting: new Value(script.trouble ? [knocking] : []),
    encryption: new Value("encrypted" as const),
    group: new Value(script.strict ? fakeGroup(cast) : null),
    soundBlocked: new Value(script.trouble),
    chat: messages,
    reactions,
    notices: new Value([]),
    dismiss: () => {},
    setMicrophone: (on) => localMedia.setMicrophone(on),
    setCamera: (on) => localMedia.setCamera(on),
    shareScreen: async () => false,
    raiseHand: async (raised) => you.update((before) => ({ ...before, hand_raised: raised })),
    rename: async (name) => you.update((before) => ({ ...before, name })),
    sendChat: async (text) =>
      messages.update((before) => [...before, ownMessage(before.length, text)]),
    sendReaction: async () => {},
    mediaPath: async () => "relay_tls",
    startSound: async () => {},
    hosting: fakeHosting,
    changeRoom: async () => {},
    leave: async () => {},
  };
}
