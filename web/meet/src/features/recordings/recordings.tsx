import { MemberService } from "@conclave/client/recording/member-service";
import { MemberBrowser } from "@conclave/client/recording/own-device";
import { ownZone, readingLocale } from "@conclave/ui/when";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { isOver } from "../../member/is-over";
import { ListFrame } from "../../member/list-frame";
import { MemberPage } from "../../member/member-page";
import { useList } from "../../member/use-list";
import { WorkspaceApi } from "../../member/workspace-api";
import type { Workspace } from "../../member/workspace-choice";
import type { Keys } from "./open-recording";
import { RecordingItem } from "./recording-item";
import "./recordings.css";
import { type Recording, RecordingsService } from "./recordings-service";
import { useRoomNames } from "./use-room-names";

export interface RecordingsProps {
  readonly baseUrl: string;
  readonly workspaces: readonly Workspace[];
  /** Who is signed in. */
  readonly account: ReactNode;
  /** Separates the people who use this browser. */
  readonly email: string;
  /** The session has ended, or the person is no longer a member of the workspace. */
  readonly onSignedOut: () => void;
}

/** How often to look whether a recording has become complete, in milliseconds. */
const lookEvery = 10_000;

/** The page of a workspace's recordings. */
export function Recordings({ workspaces, account, ...props }: RecordingsProps) {
  return (
    <MemberPage here="recordings" workspaces={workspaces} account={account}>
      {(workspace) => <Opened key={workspace.id} workspace={workspace} {...props} />}
    </MemberPage>
  );
}

type OpenedProps = Omit<RecordingsProps, "workspaces" | "account"> & {
  readonly workspace: Workspace;
};

/** What opens the recordings of a workspace in this browser. */
function useKeys(baseUrl: string, workspaceId: string, email: string): Keys {
  return useMemo(() => {
    const member = new MemberService({ baseUrl });
    const recordings = new RecordingsService(new WorkspaceApi(baseUrl, workspaceId));
    return { recordings, member, browser: new MemberBrowser(member, email) };
  }, [baseUrl, workspaceId, email]);
}

/** Loads the list again and again, until every recording in it is complete. */
function useReloadUntilComplete(recordings: readonly Recording[], reload: () => void): void {
  const isUnfinished = recordings.some(
    ({ status }) => status === "recording" || status === "processing",
  );
  useEffect(() => {
    if (!isUnfinished) return;
    const timer = setInterval(reload, lookEvery);
    return () => clearInterval(timer);
  }, [isUnfinished, reload]);
}

/** The recordings that the person may see, newest first. */
function Opened({ baseUrl, workspace, email, onSignedOut }: OpenedProps) {
  const { t, i18n } = useTranslation();
  const keys = useKeys(baseUrl, workspace.id, email);
  const service = keys.recordings;
  const list = useList<Recording>(useCallback((after) => service.recordings(after), [service]));
  const { state, reload, replace, remove } = list;
  const items = state.kind === "ready" ? state.items : [];
  const roomName = useRoomNames(service, items);
  const [done, setDone] = useState("");
  const reader = {
    zone: ownZone(),
    locale: readingLocale(i18n.language, navigator.languages),
    now: Date.now(),
  };

  useEffect(() => {
    if (state.kind === "failed" && isOver(state.code)) onSignedOut();
  }, [state, onSignedOut]);

  useReloadUntilComplete(items, reload);

  return (
    <div className="recordings">
      <p className="visually-hidden" role="status">
        {done}
      </p>
      <ListFrame
        title={t("recordings.title")}
        list={list}
        empty={{ title: t("recordings.none"), text: t("recordings.noneText") }}
        more={t("recordings.more")}
      >
        {(recording) => (
          <RecordingItem
            key={recording.id}
            recording={recording}
            room={roomName(recording.room_id)}
            reader={reader}
            keys={keys}
            onChanged={(news, changed) => {
              setDone(t(`recordings.${news}`));
              if (changed) replace(changed);
              else remove(recording.id);
            }}
          />
        )}
      </ListFrame>
    </div>
  );
}
