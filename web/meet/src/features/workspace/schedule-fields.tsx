import { SelectField } from "@conclave/ui/select-field";
import { TextField } from "@conclave/ui/text-field";
import { ownZone } from "@conclave/ui/when";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { limits } from "../../member/limits";
import {
  type Draft,
  type DraftField,
  endsNextDay,
  isNoRoomYet,
  newRoom,
  newStrictRoom,
  noRoom,
  type Recurrence,
  recurrences,
} from "./meeting-draft";
import { zoneName } from "./when-text";
import type { OwnRoom } from "./workspace-service";
import { allZones } from "./zoned-time";

export interface ScheduleFieldsProps {
  readonly draft: Draft;
  readonly initial: Draft;
  readonly rooms: readonly OwnRoom[];
  /** Keys of the message catalogue, by field. */
  readonly problems: Partial<Record<DraftField, string>>;
  readonly onChange: (draft: Draft) => void;
}

/** The fields of a meeting: title, time, repetition and room. */
export function ScheduleFields({ draft, initial, rooms, problems, onChange }: ScheduleFieldsProps) {
  const { t } = useTranslation();
  const zones = useMemo(() => allZones(ownZone(), initial.zone), [initial.zone]);
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change });
  const problem = (field: DraftField) => {
    const key = problems[field];
    return key === undefined ? null : t(`home.wrong.${key}`);
  };

  return (
    <>
      <TextField
        label={t("home.title_")}
        value={draft.title}
        onChange={(title) => set({ title })}
        maxLength={limits.meetingTitle}
        autoComplete="off"
        error={problem("title")}
        autoFocus
      />
      <TextField
        label={t("home.description")}
        isMultiline
        value={draft.description}
        onChange={(description) => set({ description })}
        maxLength={limits.meetingDescription}
      />
      <TimeFields draft={draft} problem={problem} onChange={set} />
      <NextDayNote draft={draft} />
      <SelectField
        label={t("home.zone")}
        isLabelShown
        value={draft.zone}
        options={zones.map((zone) => ({ value: zone, label: zoneName(zone) }))}
        onChange={(zone) => set({ zone })}
      />
      <RepetitionFields draft={draft} problem={problem} onChange={set} />
      <RoomSelect room={draft.room} rooms={rooms} onChange={(room) => set({ room })} />
    </>
  );
}

interface DraftPartProps {
  readonly draft: Draft;
  /** What is wrong with a field; null if nothing is. */
  readonly problem: (field: DraftField) => string | null;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** The day of a meeting, and from when to when it takes place. */
function TimeFields({ draft, problem, onChange }: DraftPartProps) {
  const { t } = useTranslation();
  const time = (field: "starts" | "ends") => (
    <TextField
      label={t(`home.${field}`)}
      type="time"
      value={draft[field]}
      onChange={(value) => onChange({ [field]: value })}
      error={problem(field)}
    />
  );
  return (
    <div className="workspace-form-times">
      <TextField
        label={t("home.date")}
        type="date"
        value={draft.date}
        onChange={(date) => onChange({ date })}
        error={problem("date")}
      />
      {time("starts")}
      {time("ends")}
    </div>
  );
}

/**
 * Says that a meeting ends on the next day. It is there before it has something to say, because
 * screen readers only announce what changes in a status they know.
 */
function NextDayNote({ draft }: { readonly draft: Draft }) {
  const { t } = useTranslation();
  const isShown = endsNextDay(draft);
  return (
    <p role="status" className={isShown ? "member-note" : "visually-hidden"}>
      {isShown ? t("home.endsNextDay") : null}
    </p>
  );
}

/** How often a meeting repeats, and until when. */
function RepetitionFields({ draft, problem, onChange }: DraftPartProps) {
  const { t } = useTranslation();
  return (
    <div className="workspace-form-repeats">
      <SelectField
        label={t("home.repeats")}
        isLabelShown
        value={draft.recurrence}
        options={recurrences.map((value) => ({ value, label: t(`home.recurrence.${value}`) }))}
        onChange={(value) => onChange({ recurrence: value as Recurrence })}
      />
      {draft.recurrence === "none" ? null : (
        <TextField
          label={t("home.untilDate")}
          type="date"
          value={draft.until}
          onChange={(until) => onChange({ until })}
          error={problem("until")}
        />
      )}
    </div>
  );
}

interface RoomSelectProps {
  readonly room: string;
  readonly rooms: readonly OwnRoom[];
  readonly onChange: (room: string) => void;
}

function RoomSelect({ room, rooms, onChange }: RoomSelectProps) {
  const { t } = useTranslation();
  const fixed = [
    { value: newRoom, label: t("home.ownRoom") },
    { value: newStrictRoom, label: t("home.ownStrictRoom") },
    { value: noRoom, label: t("home.noRoom") },
  ];
  const isComing = !isNoRoomYet(room) && !rooms.some(({ id }) => id === room);
  const isStrict =
    room === newStrictRoom || rooms.find(({ id }) => id === room)?.settings.encryption === "strict";
  return (
    <SelectField
      label={t("home.room")}
      isLabelShown
      value={room}
      options={[
        ...fixed,
        ...(isComing ? [{ value: room, label: t("home.loading") }] : []),
        ...rooms.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={onChange}
      {...(isStrict ? { hint: t("home.encryptionHint.strict") } : {})}
    />
  );
}
