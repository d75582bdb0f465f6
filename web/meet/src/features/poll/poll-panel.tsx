import type { MeetingPolls, Poll } from "@conclave/client";
import type { Value } from "@conclave/client/pre-join";
import { Button } from "@conclave/ui/button";
import { Confirm } from "@conclave/ui/confirm";
import { Named } from "@conclave/ui/named";
import { useObservable } from "@conclave/ui/use-observable";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Draft, emptyDraft } from "./draft";
import { PollCard } from "./poll-card";
import { PollForm } from "./poll-form";
import { startPoll } from "./start-poll";
import "./poll-panel.css";

export interface PollPanelProps {
  readonly polls: MeetingPolls;
  /** Whether the person is a host or co-host, who starts, closes and deletes polls. */
  readonly isHost: boolean;
  /** The poll that a host is writing; null while there is none. */
  readonly draft: Value<Draft | null>;
  /** Something the person asked for did not work. */
  readonly onFailure: (error?: unknown) => void;
}

export function PollPanel({ polls, isHost, draft, onFailure }: PollPanelProps) {
  const { t } = useTranslation();
  const list = useObservable(polls.list);
  const written = useObservable(draft);
  const isWriting = written !== null;
  const [hasBegun, setBegun] = useState(false);
  const [deleting, setDeleting] = useState<Poll | null>(null);
  const toggle = ({ id, status }: Poll) =>
    void (status === "open" ? polls.close(id) : polls.reopen(id)).catch(onFailure);

  return (
    <div className="panel-body poll-panel">
      {isHost && !isWriting ? (
        <Button
          icon={<Plus size={20} />}
          onPress={() => {
            setBegun(true);
            draft.set(emptyDraft);
          }}
        >
          {t("poll.new")}
        </Button>
      ) : null}
      {isHost && isWriting ? (
        <PollForm
          draft={written}
          takesFocus={hasBegun}
          onChange={(change) => draft.set({ ...written, ...change })}
          onAsk={(poll) => startPoll(polls, draft, poll)}
          onCancel={() => draft.set(null)}
        />
      ) : null}
      {list.length === 0 && !isWriting ? <p className="poll-empty">{t("poll.none")}</p> : null}
      {list.map((poll) => (
        <PollCard
          key={poll.id}
          poll={poll}
          onVote={(choice) => polls.vote(poll.id, choice)}
          host={isHost ? { toggle: () => toggle(poll), delete: () => setDeleting(poll) } : null}
        />
      ))}
      {deleting ? (
        <DeletePoll
          poll={deleting}
          onDelete={() => void polls.delete(deleting.id).catch(onFailure)}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </div>
  );
}

interface DeletePollProps {
  readonly poll: Poll;
  readonly onDelete: () => void;
  readonly onClose: () => void;
}

/** Asks a host whether to delete a poll. */
function DeletePoll({ poll, onDelete, onClose }: DeletePollProps) {
  const { t } = useTranslation();
  return (
    <Confirm
      title={t("poll.deleteTitle")}
      text={<Named name={poll.question} words={(question) => t("poll.deleteText", { question })} />}
      confirmLabel={t("poll.delete")}
      cancelLabel={t("cancel")}
      onConfirm={() => {
        onDelete();
        onClose();
      }}
      onCancel={onClose}
    />
  );
}
