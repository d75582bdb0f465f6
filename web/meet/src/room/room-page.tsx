import {
  type Knocking,
  type LookUp,
  leadsToAudience,
  type Observable,
  Value,
} from "@conclave/client/pre-join";
import { useObservable } from "@conclave/ui/use-observable";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { AccountService, Session as SignedIn } from "../features/account/account-service";
import { SignInButton, SignInLine, WhoLine } from "../features/account/who-line";
import { DeviceAlerts } from "../features/devices/device-alerts";
import { PreJoin, type PreJoinProps } from "../features/join/pre-join";
import { Refused } from "../features/join/refused";
import type { Outcome } from "../member/outcome";
import type { LaterScreens } from "./later-code";
import { PreJoinDevices } from "./pre-join-devices";
import type { Scene } from "./scene";
import type { Session } from "./session";
import { useRepeatedly } from "./use-repeatedly";
import { WhenIdle } from "./when-idle";

/** The people who wait, on a screen that shows none. */
const nobody = new Value<readonly Knocking[]>([]);

/**
 * How often the pre-join page looks who is inside, in milliseconds: 200 people of one office who
 * get ready at once stay far below its limit of requests (docs/reference/rate-limits.md).
 */
const lookEvery = 15_000;

const goHome = () => window.location.assign("/");
const reload = () => window.location.reload();

export interface RoomPageProps {
  readonly session: Session;
  /** What follows the pre-join page; null until it is loaded. Entering waits for it. */
  readonly screens: Observable<LaterScreens | null>;
  /** Who is signed in; null for a join link, where that makes no difference. */
  readonly accounts: Accounts | null;
}

interface Accounts {
  readonly service: AccountService;
  readonly session: Promise<Outcome<SignedIn>>;
}

/** A room's page, which shows the session's current scene. */
export function RoomPage({ session, screens, accounts }: RoomPageProps) {
  const { t } = useTranslation();
  const scene = useObservable(session.scene);
  const later = useObservable(screens) ?? notYet;
  useTitle(scene);

  switch (scene.kind) {
    case "looking":
      return <Waiting text={t("join.looking")} />;
    case "refused":
      return (
        <Refused
          refusal={scene}
          onRetry={() => void session.lookUp()}
          onReload={reload}
          onHome={goHome}
        />
      );
    case "pre-join":
      return <PreJoinPage scene={scene} session={session} accounts={accounts} />;
    case "waiting":
      return <WaitingPage scene={scene} session={session} Screen={later.WaitingScreen} />;
    case "in":
      return (
        <WhenIdle before={<Joining />}>
          <later.MeetingPage
            meeting={scene.meeting}
            linkSecret={session.linkSecret}
            guard={session.guard}
          />
        </WhenIdle>
      );
    case "out":
      return (
        <later.OutPage
          reason={scene.reason}
          connectionTest={session.connectionTest}
          unsent={session.guard.unsent}
          onContinue={scene.next === null ? null : () => session.goOn()}
          onRejoin={() => void session.rejoin(scene.name)}
          onReload={reload}
          onHome={goHome}
        />
      );
  }
}

/** Names the room in the title of the tab, and counts the people who wait. */
function useTitle(scene: Scene): void {
  const { t } = useTranslation();
  const title = titleOf(scene);
  const waiting = useObservable(scene.kind === "in" ? scene.meeting.waiting : nobody).length;
  useEffect(() => {
    const text = title === null ? t("product") : `${title} · ${t("product")}`;
    document.title = waiting > 0 ? `(${waiting}) ${text}` : text;
  }, [title, waiting, t]);
}

interface PreJoinPageProps extends Omit<RoomPageProps, "screens"> {
  readonly scene: Scene & { readonly kind: "pre-join" };
}

/** The pre-join page, which looks again and again who is inside. */
function PreJoinPage({ scene, session, accounts }: PreJoinPageProps) {
  useRepeatedly(() => void session.lookInside(), lookEvery);
  return (
    <PreJoin
      lookUp={scene.lookUp}
      media={scene.media}
      remembered={session.remembered}
      refusal={scene.refusal}
      joining={scene.joining}
      onJoin={(visitor) => void session.join(visitor)}
      calendarFile={() => session.calendarFile()}
      connectionTest={session.connectionTest}
      {...(accounts ? waysOf(scene.lookUp, session, accounts) : {})}
      devices={<PreJoinDevices media={scene.media} isAudience={leadsToAudience(scene.lookUp)} />}
      deviceAlerts={<DeviceAlerts media={scene.media} />}
    />
  );
}

interface WaitingPageProps {
  readonly scene: Scene & { readonly kind: "waiting" };
  readonly session: Session;
  readonly Screen: LaterScreens["WaitingScreen"];
}

/** The screen of a person who has knocked. */
function WaitingPage({ scene, session, Screen }: WaitingPageProps) {
  const { waitingRoom, attempt, hasExpired } = scene;
  const { media, visitor, lookUp } = attempt;
  return (
    <Screen
      waitingRoom={waitingRoom}
      media={media}
      visitor={visitor}
      hasExpired={hasExpired}
      devices={<PreJoinDevices media={media} isAudience={leadsToAudience(lookUp)} />}
      onAskAgain={() => void session.askAgain()}
      onLeave={() => void session.stopWaiting()}
    />
  );
}

/** Shows under which name the person joins, and offers to sign in or out. */
function waysOf(
  lookUp: LookUp,
  { code, linkSecret }: Session,
  accounts: Accounts,
): Pick<PreJoinProps, "who" | "otherWay"> {
  const next = `/${code}`;
  if (lookUp.signed_in) {
    return { who: <WhoLine {...accounts} onSignedOut={reload} /> };
  }
  if (lookUp.reason === "access_members") {
    return { otherWay: <SignInButton next={next} linkSecret={linkSecret} /> };
  }
  return { who: <SignInLine next={next} linkSecret={linkSecret} /> };
}

function titleOf(scene: Scene): string | null {
  if (scene.kind === "pre-join") return scene.lookUp.room?.name ?? null;
  if (scene.kind === "waiting") return scene.waitingRoom.room.get()?.name ?? null;
  if (scene.kind === "in") return scene.meeting.room.get()?.name ?? null;
  return null;
}

function Waiting({ text }: { readonly text: string }) {
  return (
    <main className="refused">
      <p role="status">{text}</p>
    </main>
  );
}

function Joining() {
  const { t } = useTranslation();
  return <Waiting text={t("join.joining")} />;
}

/** Stands in for screens that are not loaded. */
const notYet: LaterScreens = { WaitingScreen: Joining, MeetingPage: Joining, OutPage: Joining };
