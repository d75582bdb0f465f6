import { Confirm } from "@conclave/ui/confirm";
import { Sheet } from "@conclave/ui/sheet";
import { useFirstWrong } from "@conclave/ui/use-first-wrong";
import { ownZone } from "@conclave/ui/when";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemText } from "../../member/list-frame";
import { draftOf, emptyDraft, problemsOf } from "./meeting-draft";
import { saveMeeting } from "./save-meeting";
import { ScheduleActions } from "./schedule-actions";
import { ScheduleFields } from "./schedule-fields";
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

  const save = () =>
    saveMeeting(service, meeting, initial, draft, (room) => {
      rooms.add(room);
      setDraft({ ...draft, room: room.id }); // the next request may fail, but the room exists already
    });

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
        <form ref={form} className="workspace-form" onSubmit={submit} noValidate>
          {isSeries ? <p className="workspace-hint">{t("home.wholeSeries")}</p> : null}
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
          <ScheduleActions
            meeting={meeting}
            isAsking={isAsking}
            onCancelMeeting={() => setAskToCancel(true)}
          />
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
