import { lazy, Suspense, use } from "react";
import { AccountBar } from "../features/account/account-bar";
import type { AccountService, Session } from "../features/account/account-service";
import { Home } from "../features/join/home";
import { JoinForm } from "../features/join/join-form";
import type { Outcome } from "../member/outcome";
import { loadDashboard } from "./load";

const Dashboard = lazy(loadDashboard);

export interface HomePageProps {
  readonly service: AccountService;
  readonly session: Promise<Outcome<Session>>;
  /** Goes to the room; false if the text is neither a code nor a link of this service. */
  readonly onJoin: (codeOrLink: string) => boolean;
  /** Goes to a page of this service, and adds it to the history. */
  readonly onGo: (url: string) => void;
  /** Loads the start page again, because somebody has signed in or out. */
  readonly onReload: () => void;
}

/** The start page: the form to join a room, and for members their rooms and meetings. */
export function HomePage(props: HomePageProps) {
  return (
    <Suspense fallback={null}>
      <Opened {...props} />
    </Suspense>
  );
}

function Opened({ service, session, onJoin, onGo, onReload }: HomePageProps) {
  const outcome = use(session);
  const account = <AccountBar service={service} session={session} goTo={onReload} />;
  if (!outcome.ok || outcome.value.account === null) {
    return <Home onJoin={onJoin} account={account} />;
  }
  return (
    <Dashboard
      baseUrl={window.location.origin}
      workspaces={outcome.value.workspaces}
      account={account}
      join={<JoinForm onJoin={onJoin} />}
      onGo={onGo}
      onSignedOut={onReload}
    />
  );
}
