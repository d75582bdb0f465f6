import {
  isOwnHost,
  isSpeaker,
  type Person,
  type Poll,
  type ReactionEmoji,
  ServiceError,
} from "@conclave/client";
import { useObservable } from "@conclave/ui/use-observable";
import { type ReactNode, useCallback, useMemo, useRef, useState } from "react";
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
import { PollBanner } from "./poll-banner";
import { useShortcuts } from "./shortcuts";
import { ShortcutsSheet } from "./shortcuts-sheet";
import { Stage } from "./stage";
import type { Layout } from "./stage-plan";
import { useControls } from "./use-controls";
import { useFullScreen } from "./use-full-screen";
import { useKnock } from "./use-knock";
import { narrow, useMediaQuery } from "./use-media-query";
import { useNewPoll, waitsForVote } from "./use-new-poll";
import { useUnread } from "./use-unread";
import "./meeting-screen.css";

/** What a panel may ask of the screen around it. */
export interface ScreenTools {
  readonly pinned: string | null;
  readonly onPin: (id: string | null) => void;
  /** Something the person asked for did not work. */
  readonly onFailure: (error?: unknown) => void;
}

/** What breakout rooms add to the screen; each may depend on whether their panel is open. */
export interface BreakoutParts {
  readonly panel: (tools: ScreenTools) => ReactNode;
  readonly banners: (isPanelOpen: boolean, tools: ScreenTools) => ReactNode;
  readonly sign: (isPanelOpen: boolean, tools: ScreenTools) => ReactNode;
}

/** What recordings add to the screen. */
export interface RecordingParts {
  readonly button: (isNarrow: boolean) => ReactNode;
  readonly banners: ReactNode;
}

export interface MeetingScreenProps {
  readonly meeting: LiveMeeting;
  readonly peoplePanel: (tools: ScreenTools) => ReactNode;
  readonly chatPanel: ReactNode;
  readonly breakouts: BreakoutParts;
  readonly recording: RecordingParts;
  readonly pollsPanel: (tools: ScreenTools) => ReactNode;
  /** For the room's own hosts. */
  readonly hostPanel: ReactNode;
  /** Somebody wants to come in; said to those who can answer. */
  readonly onKnock: () => void;
  readonly deviceNotices: ReactNode;
  readonly settings: (isOpen: boolean, close: () => void) => ReactNode;
}

/** The meeting itself: stage, toolbars, one panel at a time. */
export function MeetingScreen(props: MeetingScreenProps) {
  const { meeting, peoplePanel, chatPanel, pollsPanel, hostPanel } = props;
  const { breakouts, recording, deviceNotices, settings, onKnock } = props;
  const { t } = useTranslation();
  const [layout, setLayout] = useState<Layout>("grid");
  const [pinned, setPinned] = useState<string | null>(null);
  const [chosenPanel, setPanel] = useState<PanelName | null>(null);
  const [calledTo, setCalledTo] = useState<Poll | null>(null);
  const [sheet, setSheet] = useState<"settings" | "shortcuts" | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const firstButton = useRef<HTMLButtonElement>(null);
  const people = useObservable(meeting.people);
  const reactions = useObservable(meeting.reactions);
  const room = useObservable(meeting.room);
  const you = useObservable(meeting.you);
  const waiting = useObservable(meeting.waiting);
  useKnock(waiting, onKnock);
  const isHosting = you !== null && isOwnHost(you);
  const session = useObservable(meeting.breakouts.session);
  const hasBreakouts = session !== null || you?.role === "host";
  // The panel goes with the rooms, where there is nothing else to see in it.
  const panel = chosenPanel === "breakouts" && !hasBreakouts ? null : chosenPanel;
  const isWebinar = room?.type === "webinar";
  const place = useObservable(meeting.breakouts.whereabouts);
  // In a breakout room everybody speaks, in a webinar too.
  const hasAudience = isWebinar && place.breakoutId === null;
  const here = useMemo(() => people.filter((person) => person.isHere), [people]);
  const seen = useMemo(() => (hasAudience ? here.filter(isOnScreen) : here), [hasAudience, here]);
  const unread = useUnread(useObservable(meeting.chat), panel === "chat");
  const isNarrow = useMediaQuery(narrow);
  const fullScreen = useFullScreen();
  const onFailure = useCallback((error?: unknown) => setFailure(t(failureText(error))), [t]);
  const controls = useControls(meeting, onFailure);
  const openPanel = (name: PanelName | null) => {
    setPanel(name);
    setCalledTo(null);
  };
  const toggle = (name: PanelName) => openPanel(panel === name ? null : name);
  const react = (emoji: ReactionEmoji) => void meeting.sendReaction(emoji).catch(onFailure);

  const polls = useObservable(meeting.polls.list);
  useNewPoll(polls, (poll) => {
    if (panel === "polls") return;
    setCalledTo(poll);
    // Over a phone's whole screen, or in the place of another panel, it would be in the way.
    if (panel === null && !isNarrow) setPanel("polls");
  });

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

  const tools: ScreenTools = { pinned, onPin: setPinned, onFailure };
  const isInBreakouts = panel === "breakouts";
  const panels = (
    <PanelControls
      open={panel}
      onToggle={toggle}
      peopleCount={people.length}
      waitingCount={waiting.length}
      unreadCount={unread}
      pollCount={polls.filter(waitsForVote).length}
      hasBreakouts={hasBreakouts}
      hasHostControls={isHosting}
    />
  );

  return (
    <div className={`meeting${fullScreen.isIdle ? " meeting-idle" : ""}`}>
      <header className="meeting-head">
        <h1 className="meeting-name" dir="auto">
          {room?.name}
        </h1>
        {breakouts.sign(isInBreakouts, tools)}
        {isNarrow ? panels : null}
      </header>
      <div className="meeting-middle">
        <Banners
          meeting={meeting}
          failure={failure}
          onFailureSeen={() => setFailure(null)}
          onViewPeople={panel === "people" ? null : () => openPanel("people")}
        >
          {recording.banners}
          {deviceNotices}
          {breakouts.banners(isInBreakouts, tools)}
          {calledTo &&
          panel !== "polls" &&
          polls.some((poll) => poll.id === calledTo.id && waitsForVote(poll)) ? (
            <PollBanner
              poll={calledTo}
              onView={() => openPanel("polls")}
              onDismiss={() => setCalledTo(null)}
            />
          ) : null}
        </Banners>
        <Stage
          people={seen}
          reactions={reactions}
          layout={layout}
          pinned={pinned}
          onPin={setPinned}
          empty={
            <EmptyStage meeting={meeting} people={people} here={here} hasAudience={hasAudience} />
          }
        />
        {panel === null ? null : (
          <Panel
            key={panel}
            title={t(`panels.${panel}`)}
            takesFocus={calledTo === null}
            onClose={() => openPanel(null)}
          >
            {panel === "info" ? <InfoPanel meeting={meeting} /> : null}
            {panel === "people" ? peoplePanel(tools) : null}
            {panel === "chat" ? chatPanel : null}
            {panel === "polls" ? pollsPanel(tools) : null}
            {isInBreakouts ? breakouts.panel(tools) : null}
            {panel === "hosting" && isHosting ? hostPanel : null}
          </Panel>
        )}
      </div>
      <footer className="meeting-foot">
        <MeetingControls
          controls={controls}
          recordButton={recording.button(isNarrow)}
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
          onEnd={isHosting ? () => void meeting.endForEveryone().catch(onFailure) : null}
        />
        {isNarrow ? null : panels}
      </footer>
      <Announcer people={people} />
      <p className="visually-hidden" aria-live="polite">
        {calledTo && panel === "polls" ? `${t("banner.newPoll")} ${calledTo.question}` : ""}
      </p>
      {settings(sheet === "settings", () => setSheet(null))}
      <ShortcutsSheet isOpen={sheet === "shortcuts"} onClose={() => setSheet(null)} />
    </div>
  );
}

/** Refusals about which there is more to say than that it did not work. */
const explained = [
  "room_locked",
  "breakout_already_open",
  "breakout_not_open",
  "breakout_not_yours",
  "last_breakout_room",
  "limit_reached",
  "return_not_allowed",
  "rate_limited",
] as const;

/** What the person can do about it, where that is known. */
function failureText(error: unknown) {
  const code = error instanceof ServiceError ? error.code : null;
  const known = explained.find((one) => one === code);
  return known ? (`controls.refused.${known}` as const) : "controls.failed";
}

/** A webinar shows those who speak, and oneself. */
function isOnScreen(person: Person): boolean {
  return isSpeaker(person) || person.isMe;
}

interface EmptyStageProps {
  readonly meeting: LiveMeeting;
  /** Everybody in the meeting, and those of them in this room. */
  readonly people: readonly Person[];
  readonly here: readonly Person[];
  readonly hasAudience: boolean;
}

function EmptyStage({ meeting, people, here, hasAudience }: EmptyStageProps) {
  const { t } = useTranslation();
  const isAlone = here.length === 1 && here[0]?.isMe === true;
  if (isAlone && people.length === 1) return <AloneCard meeting={meeting} />;
  if (isAlone && !hasAudience) return <p className="stage-empty">{t("stage.othersElsewhere")}</p>;
  if (!hasAudience || here.length === 0 || here.some(isSpeaker)) return null;
  return <p className="stage-empty">{t("stage.nobodySpeaks")}</p>;
}
