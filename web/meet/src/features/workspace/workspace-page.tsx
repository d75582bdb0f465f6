import { Button } from "@conclave/ui/button";
import { useDialog } from "@conclave/ui/use-dialog";
import { CalendarPlus, Plus } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { isOver } from "../../member/is-over";
import { MemberPage } from "../../member/member-page";
import { useList } from "../../member/use-list";
import { WorkspaceApi } from "../../member/workspace-api";
import type { Workspace } from "../../member/workspace-choice";
import { NewRoomDialog } from "./new-room-dialog";
import { RoomList } from "./room-list";
import { ScheduleDialog } from "./schedule-dialog";
import { UpcomingList } from "./upcoming-list";
import { type OwnMeeting, type OwnRoom, WorkspaceService } from "./workspace-service";
import "./workspace-page.css";

export interface WorkspacePageProps {
  readonly baseUrl: string;
  readonly workspaces: readonly Workspace[];
  /** Who is signed in. */
  readonly account: ReactNode;
  /** The form to join a room by its code. */
  readonly join: ReactNode;
  readonly onGo: (url: string) => void;
  /** The session has ended, or the person is no longer a member of the workspace. */
  readonly onSignedOut: () => void;
}

/** The start page of a member. */
export function WorkspacePage({ workspaces, account, ...props }: WorkspacePageProps) {
  return (
    <MemberPage here="home" workspaces={workspaces} account={account}>
      {(workspace) => <Opened key={workspace.id} workspace={workspace} {...props} />}
    </MemberPage>
  );
}

type OpenedProps = Omit<WorkspacePageProps, "workspaces" | "account"> & {
  readonly workspace: Workspace;
};

type Open =
  | { readonly kind: "new-room" }
  | { readonly kind: "schedule"; readonly meeting: OwnMeeting | null };

/** The days that the list shows (docs/reference/scheduled-meetings.md: the default window). */
const daysAhead = 30;

function Opened({ baseUrl, workspace, join, onGo, onSignedOut }: OpenedProps) {
  const service = useMemo(
    () => new WorkspaceService(new WorkspaceApi(baseUrl, workspace.id)),
    [baseUrl, workspace.id],
  );
  const [now, setNow] = useState(() => Date.now());
  const window = useWindow(now);
  const rooms = useList<OwnRoom>(useCallback((after) => service.rooms(after), [service]));
  const upcoming = useList<OwnMeeting>(
    useCallback((after) => service.meetings(window.from, window.to, after), [service, window]),
  );
  const dialog = useDialog<Open>();
  const [done, setDone] = useState("");
  useEveryMinute(() => setNow(Date.now()));

  useEffect(() => {
    for (const { state } of [rooms, upcoming]) {
      if (state.kind === "failed" && isOver(state.code)) onSignedOut();
    }
  }, [rooms, upcoming, onSignedOut]);

  const close = (news?: string) => {
    dialog.close();
    if (news === undefined) return;
    setDone(news);
    rooms.reload();
    upcoming.reload();
  };

  return (
    <>
      <div className="workspace-actions">
        <NewButtons onOpen={dialog.show} />
        {join}
      </div>
      <p className="visually-hidden" role="status">
        {done}
      </p>
      <div className="workspace-lists">
        <UpcomingList
          list={upcoming}
          now={now}
          onGo={onGo}
          onEdit={(meeting) => dialog.show({ kind: "schedule", meeting })}
        />
        <RoomList list={rooms} onGo={onGo} />
      </div>
      {dialog.open ? <OpenDialog open={dialog.open} service={service} onClose={close} /> : null}
    </>
  );
}

function NewButtons({ onOpen }: { readonly onOpen: (open: Open) => void }) {
  const { t } = useTranslation();
  return (
    <div className="workspace-new">
      <Button
        look="primary"
        size="large"
        icon={<Plus size={20} />}
        onPress={() => onOpen({ kind: "new-room" })}
      >
        {t("home.newRoom")}
      </Button>
      <Button
        size="large"
        icon={<CalendarPlus size={20} />}
        onPress={() => onOpen({ kind: "schedule", meeting: null })}
      >
        {t("home.schedule")}
      </Button>
    </div>
  );
}

interface OpenDialogProps {
  readonly open: Open;
  readonly service: WorkspaceService;
  /** Says what was made or changed; undefined if nothing was. */
  readonly onClose: (news?: string) => void;
}

function OpenDialog({ open, service, onClose }: OpenDialogProps) {
  const { t } = useTranslation();
  if (open.kind === "new-room") {
    return (
      <NewRoomDialog
        service={service}
        onDone={(room) => onClose(t("home.roomMade", { name: room.name }))}
        onClose={() => onClose()}
      />
    );
  }
  return (
    <ScheduleDialog
      service={service}
      meeting={open.meeting}
      onDone={(news) => onClose(t(`home.${news}`))}
      onClose={() => onClose()}
    />
  );
}

const day = 24 * 60 * 60 * 1000;

/** The list's window of time. It moves only once a day, so that its pages fit together. */
function useWindow(now: number): { readonly from: string; readonly to: string } {
  const [start, setStart] = useState(now);
  if (now - start > day) setStart(now);
  return useMemo(
    () => ({
      from: new Date(start).toISOString(),
      to: new Date(start + daysAhead * day).toISOString(),
    }),
    [start],
  );
}

function useEveryMinute(then: () => void): void {
  useEffect(() => {
    const timer = setInterval(then, 60_000);
    return () => clearInterval(timer);
  });
}
