import { Confirm } from "@conclave/ui/confirm";
import { Named } from "@conclave/ui/named";
import { Sheet } from "@conclave/ui/sheet";
import { useFirstWrong } from "@conclave/ui/use-first-wrong";
import { ownZone } from "@conclave/ui/when";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { draftOf, emptyDraft, problemsOf } from "./meeting-draft";
import { Refusal } from "./refusal";
import { saveMeeting } from "./save-meeting";
import { ScheduleActions } from "./schedule-actions";
import { ScheduleFields, type ScheduleFieldsProps } from "./schedule-fields";
import { useRoomChoice } from "./use-room-choice";
import type { OwnMeeting, WorkspaceService } from "./workspace-service";

export type News = "scheduled" | "saved" | "cancelled";

export interface ScheduleDialogProps {
  readonly service: WorkspaceService;
  /** The meeting to change; null for a new one. */
  readonly meeting: OwnMeeting | null;
  readonly onDone: (news: News) => void;
  readonly onClose: () => void;
}

/** Schedules a meeting, or changes or cancels one. */
export function ScheduleDialog({ service, meeting, onDone, onClose }: ScheduleDialogProps) {
  const { t } = useTranslation();
  const { form, fields, refusal, isAsking, submit, cancel } = useSchedule(service, meeting, onDone);
  const [asksToCancel, setAskToCancel] = useState(false);
  return (
    <>
      <Sheet
        title={meeting ? t("home.editMeeting") : t("home.schedule")}
        closeLabel={t("close")}
        isOpen
        isForm
        onClose={onClose}
      >
        <form ref={form} className="workspace-form" onSubmit={submit} noValidate>
          {isSeries(meeting) ? <p className="workspace-hint">{t("home.wholeSeries")}</p> : null}
          <ScheduleFields {...fields} />
          <div className="workspace-form-foot">
            <Refusal code={refusal} />
            <ScheduleActions
              meeting={meeting}
              isAsking={isAsking}
              onCancelMeeting={() => setAskToCancel(true)}
            />
          </div>
        </form>
      </Sheet>
      {asksToCancel && meeting ? (
        <CancelQuestion
          meeting={meeting}
          onCancelMeeting={() => {
            setAskToCancel(false);
            cancel(meeting);
          }}
          onKeepMeeting={() => setAskToCancel(false)}
        />
      ) : null}
    </>
  );
}

/** Holds the draft of a meeting, and sends it to the service or cancels the meeting. */
function useSchedule(
  service: WorkspaceService,
  meeting: OwnMeeting | null,
  onDone: (news: News) => void,
) {
  const [initial] = useState(() =>
    meeting ? draftOf(meeting) : emptyDraft(ownZone(), Date.now()),
  );
  const [draft, setDraft] = useState(initial);
  const [tries, setTries] = useState(0);
  const form = useFirstWrong(tries);
  const rooms = useRoomChoice(service, initial.room);
  const { refusal, isAsking, ask } = useRequest(onDone);
  const problems = problemsOf(draft);

  const save = () =>
    saveMeeting(service, meeting, initial, draft, (room) => {
      rooms.add(room);
      // The next request may fail, but the room exists already.
      setDraft((before) => ({ ...before, room: room.id }));
    });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTries(tries + 1);
    if (Object.keys(problems).length > 0 || isAsking) return;
    void ask(save, meeting ? "saved" : "scheduled");
  };

  const cancel = ({ id }: OwnMeeting) =>
    void ask(async () => {
      const outcome = await service.cancelMeeting(id);
      return outcome.ok ? null : outcome.code;
    }, "cancelled");

  const fields: ScheduleFieldsProps = {
    draft,
    initial,
    rooms: rooms.options,
    problems: tries > 0 ? problems : {},
    onChange: setDraft,
  };
  return { form, fields, refusal, isAsking, submit, cancel };
}

/** Sends requests that resolve to the code of a refusal or to null, and keeps the last refusal. */
function useRequest(onDone: (news: News) => void) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const ask = async (request: () => Promise<string | null>, news: News) => {
    setAsking(true);
    setRefusal(null); // the same refusal is announced again
    const problem = await request();
    setAsking(false);
    setRefusal(problem);
    if (problem === null) onDone(news);
  };
  return { refusal, isAsking, ask };
}

interface CancelQuestionProps {
  readonly meeting: OwnMeeting;
  readonly onCancelMeeting: () => void;
  readonly onKeepMeeting: () => void;
}

/** Asks whether to cancel the meeting, or the whole series. */
function CancelQuestion({ meeting, onCancelMeeting, onKeepMeeting }: CancelQuestionProps) {
  const { t } = useTranslation();
  return (
    <Confirm
      title={<Named name={meeting.title} words={(title) => t("home.cancelTitle", { title })} />}
      text={t(isSeries(meeting) ? "home.cancelSeriesText" : "home.cancelText")}
      confirmLabel={t("home.cancelMeeting")}
      cancelLabel={t("home.keepMeeting")}
      onConfirm={onCancelMeeting}
      onCancel={onKeepMeeting}
    />
  );
}

function isSeries(meeting: OwnMeeting | null): boolean {
  return meeting !== null && meeting.recurrence !== "none";
}
