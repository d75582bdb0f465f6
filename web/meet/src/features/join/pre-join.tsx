import {
  type CalendarFile,
  type LocalMedia,
  type LookUp,
  leadsToAudience,
  limits,
} from "@conclave/client/pre-join";
import { Avatar } from "@conclave/ui/avatar";
import { Button } from "@conclave/ui/button";
import { keepFocus } from "@conclave/ui/keep-focus";
import { loadAgain } from "@conclave/ui/load-again";
import { TextField } from "@conclave/ui/text-field";
import { useFirstWrong } from "@conclave/ui/use-first-wrong";
import { type FormEvent, lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { AvatarPickerProps } from "./avatar-picker";
import { InsideLine } from "./inside-line";
import { LockBadge } from "./lock-badge";
import { NextLine } from "./next-line";
import { type EntrySettings, Preview, unknownSettings } from "./preview";
import { type Refusal, useRefusalText } from "./refusal-text";
import "./pre-join.css";

/** Comes after the page: its dialog would be a quarter of the code, and nobody needs it to join. */
const AvatarPicker = lazy(async () => {
  const picker = await loadAgain(() => import("./avatar-picker")).catch(() => null);
  return { default: picker?.AvatarPicker ?? NoPicker };
});

function NoPicker(_: AvatarPickerProps) {
  return null;
}

export interface PreJoinProps {
  readonly lookUp: LookUp;
  readonly media: Pick<LocalMedia, keyof LocalMedia>;
  readonly remembered: { readonly name: string; readonly avatar: string | null };
  readonly refusal: Refusal | null;
  readonly joining: boolean;
  readonly onJoin: (visitor: { name: string; avatar: string | null }) => void;
  /** Fetches the next meeting as a file; null if that fails. */
  readonly calendarFile: () => Promise<CalendarFile | null>;
  /** The address of the page that tests the connection. */
  readonly connectionTest: string;
  /** The choice of devices, with the microphone's level. */
  readonly devices: ReactNode;
  readonly deviceAlerts: ReactNode;
  /** Shows under which name the person joins. */
  readonly who?: ReactNode;
  /** Another way in, beside the button. */
  readonly otherWay?: ReactNode;
}

export function PreJoin(props: PreJoinProps) {
  const { lookUp, media, refusal, joining } = props;
  const { t } = useTranslation();
  const { form, name, avatar, isNameless, setName, setAvatar, submit } = useVisitor(props);
  const settings = lookUp.room?.settings ?? unknownSettings;
  const isAudience = leadsToAudience(lookUp);
  // A signed-in person joins under their account's name.
  const isNameGiven = lookUp.signed_in && Boolean(lookUp.person?.name);
  // "Try again" goes away with the device's problem.
  useEffect(() => keepFocus(form.current), [form]);

  return (
    <main className="pre-join">
      <Preview
        media={media}
        settings={settings}
        isAudience={isAudience}
        placeholder={
          <span className="preview-avatar">
            <Avatar name={name} avatar={avatar} />
          </span>
        }
        devices={props.devices}
      />
      <form ref={form} className="pre-join-form" tabIndex={-1} onSubmit={submit} noValidate>
        <RoomHead lookUp={lookUp} calendarFile={props.calendarFile} />
        <NameRow
          name={name}
          avatar={avatar}
          isMissing={isNameless}
          isGiven={isNameGiven}
          onName={setName}
          onAvatar={setAvatar}
        />
        {props.who}
        {props.deviceAlerts}
        {refusal ? <RefusalAlert refusal={refusal} mayUnlock={lookUp.may_unlock} /> : null}
        <EntryNotes settings={settings} isAudience={isAudience} />
        {lookUp.reason === "access_members" ? (
          <p className="pre-join-note">{t("join.membersOnly")}</p>
        ) : null}
        <div className="pre-join-ways">
          <JoinButton lookUp={lookUp} joining={joining} autoFocus={isNameGiven} />
          {props.otherWay}
        </div>
        <p className="pre-join-test">
          <a href={props.connectionTest} target="_blank" rel="noreferrer">
            {t("join.testConnection")}
          </a>
        </p>
      </form>
    </main>
  );
}

/** The name and the avatar with which the person joins, and what the form does with them. */
function useVisitor({ lookUp, remembered, onJoin }: PreJoinProps) {
  const [name, setName] = useState(lookUp.person?.name || remembered.name);
  const [avatar, setAvatar] = useState(lookUp.person?.avatar ?? remembered.avatar);
  const [isNameless, setNameless] = useState(false);
  const [tries, setTries] = useState(0);
  return {
    form: useFirstWrong(tries),
    name,
    avatar,
    /** The person tried to join without a name. */
    isNameless,
    setName: (value: string) => {
      setName(value);
      setNameless(false);
    },
    setAvatar,
    submit: (event: FormEvent) => {
      event.preventDefault();
      const trimmed = name.trim();
      setNameless(trimmed === "");
      setTries(tries + 1);
      if (trimmed !== "") onJoin({ name: trimmed, avatar });
    },
  };
}

/** What there is to know of the room: its name, its next meeting, who is inside, its lock. */
function RoomHead({ lookUp, calendarFile }: Pick<PreJoinProps, "lookUp" | "calendarFile">) {
  const { t } = useTranslation();
  return (
    <>
      <h1 className="pre-join-title" dir="auto">
        {lookUp.room?.name ?? t("join.membersRoom")}
      </h1>
      {lookUp.next ? <NextLine next={lookUp.next} calendarFile={calendarFile} /> : null}
      {lookUp.inside ? <InsideLine inside={lookUp.inside} /> : null}
      {lookUp.room ? <LockBadge encryption={lookUp.room.encryption} /> : null}
    </>
  );
}

interface NameRowProps {
  readonly name: string;
  readonly avatar: string | null;
  /** The person tried to join without a name. */
  readonly isMissing: boolean;
  /** The name is the account's, and cannot be changed here. */
  readonly isGiven: boolean;
  readonly onName: (name: string) => void;
  readonly onAvatar: (avatar: string | null) => void;
}

function NameRow({ name, avatar, isMissing, isGiven, onName, onAvatar }: NameRowProps) {
  const { t } = useTranslation();
  return (
    <div className="pre-join-name">
      <div className="pre-join-picture">
        <Suspense fallback={<Avatar name={name} avatar={avatar} />}>
          <AvatarPicker name={name} avatar={avatar} onChange={onAvatar} />
        </Suspense>
      </div>
      <TextField
        label={t("join.name")}
        name="name"
        value={name}
        onChange={onName}
        maxLength={limits.personName}
        error={isMissing ? t("join.nameMissing") : null}
        autoComplete="name"
        autoFocus={!isGiven}
        isReadOnly={isGiven}
      />
    </div>
  );
}

interface JoinButtonProps extends Pick<PreJoinProps, "lookUp" | "joining"> {
  readonly autoFocus: boolean;
}

function JoinButton({ lookUp, joining, autoFocus }: JoinButtonProps) {
  const { t } = useTranslation();
  return (
    <Button type="submit" look="primary" size="large" isBusy={joining} autoFocus={autoFocus}>
      {t(joining ? "join.joining" : wayIn(lookUp))}
    </Button>
  );
}

function wayIn(lookUp: LookUp): "join.unlock" | "join.ask" | "join.now" {
  if (lookUp.may_unlock) return "join.unlock";
  return lookUp.decision === "knock" ? "join.ask" : "join.now";
}

interface EntryNotesProps {
  readonly settings: EntrySettings;
  readonly isAudience: boolean;
}

/** Says that the room makes people join with microphone or camera off. */
function EntryNotes({ settings, isAudience }: EntryNotesProps) {
  const { t } = useTranslation();
  if (isAudience) return <p className="pre-join-note">{t("join.audience")}</p>;
  return (
    <>
      {settings.mute_on_entry ? <p className="pre-join-note">{t("join.muteOnEntry")}</p> : null}
      {settings.camera_off_on_entry ? (
        <p className="pre-join-note">{t("join.cameraOffOnEntry")}</p>
      ) : null}
    </>
  );
}

interface RefusalAlertProps {
  readonly refusal: Refusal;
  readonly mayUnlock: boolean;
}

function RefusalAlert({ refusal, mayUnlock }: RefusalAlertProps) {
  const { t } = useTranslation();
  const { text, next } = useRefusalText(refusal);
  return (
    <div className="pre-join-refusal" role="alert">
      <p>{text}</p>
      <p>{mayUnlock ? t("join.unlockNext") : next}</p>
    </div>
  );
}
