import { Button } from "@conclave/ui/button";
import { Confirm } from "@conclave/ui/confirm";
import { Sheet } from "@conclave/ui/sheet";
import { useFirstWrong } from "@conclave/ui/use-first-wrong";
import { ownZone } from "@conclave/ui/when";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemText } from "../../member/list-frame";
import { calendarFilePath, type DashboardService, type OwnMeeting } from "./dashboard-service";
import {
  changesOf,
  type Draft,
  draftOf,
  emptyDraft,
  fieldsOf,
  newRoom,
  newStrictRoom,
  problemsOf,
} from "./meeting-draft";
import { ScheduleFields } from "./schedule-fields";
import { useRoomChoice } from "./use-room-choice";

export type News = "scheduled" | "saved" | "cancelled";

export interface ScheduleDialogProps {
  readonly service: DashboardService;
  /** The meeting to change; null for a new one. */
  readonly meeting: OwnMeeting | null;
  readonly onDone: (news: News) => void;
  readonly onClose: () => void;
}

/** Schedules a meeting, or changes or cancels one. */
export function ScheduleDialog({ service, meeting, onDone, onClose }: ScheduleDialogProps) {
  const { t } = useTranslation();
  const [initial] = useState(() =>
    meeting ? draftOf(meeting) : emptyDraft(ownZone(), Date.now()),
  );
  const [draft, setDraft] = useState(initial);
  const [tries, setTries] = useState(0);
  const form = useFirstWrong(tries);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const [asksToCancel, setAskToCancel] = useState(false);
  const rooms = useRoomChoice(service, initial.room);
  const problems = problemsOf(draft);
  const isSeries = meeting !== null && meeting.recurrence !== "none";

  const ask = async (request: () => Promise<string | null>, news: News) => {
    setAsking(true);
    const problem = await request();
    setAsking(false);
    setRefusal(problem);
    if (problem === null) onDone(news);
  };

  const save = async (): Promise<string | null> => {
    let wanted = draft;
    if (draft.room === newRoom || draft.room === newStrictRoom) {
      const isStrict = draft.room === newStrictRoom;
      const settings = isStrict ? { settings: { encryption: "strict" } } : {};
      const made = await service.createRoom({ name: roomNameOf(draft), ...settings });
      if (!made.ok) return made.code;
      wanted = { ...draft, room: made.value.id };
      rooms.add(made.value);
      setDraft(wanted); // the next request may fail, but the room exists already
    }
    const outcome = meeting
      ? await service.changeMeeting(meeting.id, changesOf(initial, wanted))
      : await service.schedule(fieldsOf(wanted));
    return outcome.ok ? null : outcome.code;
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTries(tries + 1);
    if (Object.keys(problems).length > 0 || isAsking) return;
    void ask(save, meeting ? "saved" : "scheduled");
  };

  const cancel = async (): Promise<string | null> => {
    if (meeting === null) return null;
    const outcome = await service.cancelMeeting(meeting.id);
    return outcome.ok ? null : outcome.code;
  };

  return (
    <>
      <Sheet
        title={meeting ? t("home.editMeeting") : t("home.schedule")}
        closeLabel={t("close")}
        isOpen
        isForm
        onClose={onClose}
      >
        <form ref={form} className="dashboard-form" onSubmit={submit} noValidate>
          {isSeries ? <p className="dashboard-hint">{t("home.wholeSeries")}</p> : null}
          <ScheduleFields
            draft={draft}
            initial={initial}
            rooms={rooms.options}
            problems={tries > 0 ? problems : {}}
            onChange={setDraft}
          />
          {refusal ? (
            <div className="member-failure" role="alert">
              <ProblemText code={refusal} />
            </div>
          ) : null}
          <div className="dashboard-form-acts">
            {meeting ? (
              <Button
                look="quiet"
                size="large"
                onPress={() => download(calendarFilePath(meeting.id))}
              >
                {t("home.addToCalendar")}
              </Button>
            ) : null}
            {meeting ? (
              <Button
                look="quiet-danger"
                size="large"
                isDisabled={isAsking}
                onPress={() => setAskToCancel(true)}
              >
                {t("home.cancelMeeting")}
              </Button>
            ) : null}
            <Button type="submit" look="primary" size="large" isDisabled={isAsking}>
              {meeting ? t("home.save") : t("home.scheduleIt")}
            </Button>
          </div>
        </form>
      </Sheet>
      {asksToCancel && meeting ? (
        <Confirm
          title={t("home.cancelTitle", { title: meeting.title })}
          text={t(isSeries ? "home.cancelSeriesText" : "home.cancelText")}
          confirmLabel={t("home.cancelMeeting")}
          cancelLabel={t("home.keepMeeting")}
          onConfirm={() => {
            setAskToCancel(false);
            void ask(cancel, "cancelled");
          }}
          onCancel={() => setAskToCancel(false)}
        />
      ) : null}
    </>
  );
}

/** Downloads a file of the service, as if the person had followed a link to it. */
function download(path: string): void {
  const link = document.createElement("a");
  link.href = path;
  link.download = "";
  link.click();
}

/** A room's name has at most 80 characters, a meeting's title 120. */
function roomNameOf({ title }: Draft): string {
  return [...title.trim()].slice(0, 80).join("").trim();
}
