import { Confirm } from "@conclave/ui/confirm";
import { Named } from "@conclave/ui/named";
import { useDialog } from "@conclave/ui/use-dialog";
import type { Phrase, Reader } from "@conclave/ui/when";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { DownloadLine } from "./download-line";
import type { Keys } from "./open-recording";
import { PlayerDialog } from "./player-dialog";
import { problemPhrase } from "./problem-phrase";
import { RecordingActions, type RecordingDialog } from "./recording-actions";
import { beganPhrases, lengthText, sizeText } from "./recording-text";
import type { Recording, RecordingChange } from "./recordings-service";
import { TitleDialog } from "./title-dialog";
import { useDownload } from "./use-download";

/** A change of a recording, as a key of the message catalogue. */
type News = "renamed" | "visibilityChanged" | "deleted";

export interface RecordingItemProps {
  readonly recording: Recording;
  /** The name of its room; empty until it is known. */
  readonly room: string;
  readonly reader: Reader;
  readonly keys: Keys;
  /** Called with the changed recording; null if it was deleted. */
  readonly onChanged: (news: News, changed: Recording | null) => void;
}

/** A recording in the list, with its actions. */
export function RecordingItem({ recording, room, reader, keys, onChanged }: RecordingItemProps) {
  const { t } = useTranslation();
  const dialog = useDialog<{ readonly kind: RecordingDialog }>();
  const { close } = dialog;
  const open = dialog.open?.kind;
  const { problem, setProblem, change, remove } = useChanges(recording, keys, onChanged);
  const download = useDownload(recording, keys);
  const titleId = useId();
  const { title } = recording;

  return (
    <li className="member-item recordings-item" aria-labelledby={titleId}>
      <RecordingFacts recording={recording} room={room} reader={reader} titleId={titleId} />
      <RecordingActions
        recording={recording}
        titleId={titleId}
        isDownloading={download.state.kind === "running"}
        onVisibility={(visibility) =>
          void change({ visibility }, "visibilityChanged").then(setProblem)
        }
        onDownload={download.start}
        onOpen={(kind) => dialog.show({ kind })}
      />
      <DownloadLine download={download} locale={reader.locale} />
      {problem ? (
        <p className="member-failure" role="alert">
          {t(problem.key, problem.values)}
        </p>
      ) : null}
      {open === "play" ? <PlayerDialog recording={recording} keys={keys} onClose={close} /> : null}
      {open === "rename" ? (
        <TitleDialog
          title={title}
          rename={(wanted) => change({ title: wanted }, "renamed")}
          onClose={close}
        />
      ) : null}
      {open === "delete" ? (
        <Confirm
          title={
            <Named name={title} words={(name) => t("recordings.deleteTitle", { title: name })} />
          }
          text={t("recordings.deleteText")}
          confirmLabel={t("recordings.delete")}
          cancelLabel={t("recordings.cancel")}
          onConfirm={() => {
            close();
            void remove();
          }}
          onCancel={close}
        />
      ) : null}
    </li>
  );
}

interface RecordingFactsProps extends Pick<RecordingItemProps, "recording" | "room" | "reader"> {
  /** The id for the element with the title. */
  readonly titleId: string;
}

/** What the list says of a recording. */
function RecordingFacts({ recording, room, reader, titleId }: RecordingFactsProps) {
  const { t } = useTranslation();
  const { title, status } = recording;
  return (
    <div className="member-item-text">
      <p className="member-item-title" id={titleId}>
        <bdi>{title}</bdi>
      </p>
      <p className="member-note recordings-facts">
        {factsOf(recording, room, reader, t).join(" · ")}
      </p>
      {status === "ready" ? null : (
        <p className={`recordings-status recordings-status-${status}`}>
          {t(`recordings.status.${status}`)}
        </p>
      )}
    </div>
  );
}

/** Changes and deletes a recording, and keeps what last went wrong. */
function useChanges({ id }: Recording, keys: Keys, onChanged: RecordingItemProps["onChanged"]) {
  const [problem, setProblem] = useState<Phrase | null>(null);

  /** Resolves to the problem, if the change failed. */
  const change = async (wanted: RecordingChange, news: News): Promise<Phrase | null> => {
    const outcome = await keys.recordings.change(id, wanted);
    if (!outcome.ok) return problemPhrase(outcome.code);
    setProblem(null);
    onChanged(news, outcome.value);
    return null;
  };
  const remove = async () => {
    const outcome = await keys.recordings.remove(id);
    if (outcome.ok || outcome.code === "not_found") onChanged("deleted", null);
    else setProblem(problemPhrase(outcome.code));
  };
  return { problem, setProblem, change, remove };
}

/**
 * Room, day and time, length and size, as far as they are known. Without the room where the title
 * says it already.
 */
function factsOf(
  recording: Recording,
  room: string,
  reader: Reader,
  t: (key: string, values: Readonly<Record<string, string>>) => string,
): readonly string[] {
  const [day, time] = beganPhrases(recording, reader);
  const facts = [room === recording.title ? "" : room, `${t(day.key, day.values)}, ${time}`];
  if (recording.parts > 0) {
    facts.push(lengthText(recording.duration_ms), sizeText(recording.bytes, reader.locale));
  }
  return facts.filter((fact) => fact !== "");
}
