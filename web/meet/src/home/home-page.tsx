import { browserStore } from "@conclave/client/pre-join";
import { lazy, type ReactNode, Suspense, useEffect, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { AccountBar } from "../features/account/account-bar";
import type { AccountService, Session } from "../features/account/account-service";
import { Home } from "../features/join/home";
import { JoinForm } from "../features/join/join-form";
import { rememberMember, wasMember } from "../member/known-member";
import type { Outcome } from "../member/outcome";
import { useSettled } from "../member/use-settled";
import { loadWorkspacePage } from "./load";
import "../member/member.css";

const WorkspacePage = lazy(loadWorkspacePage);

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

/**
 * The start page: the form to join a room, and for members their rooms and meetings. Shows what it
 * can before the service has said who is signed in.
 */
export function HomePage({ service, session, onJoin, onGo, onReload }: HomePageProps) {
  const outcome = useSettled(session);
  const isKnown = useKnownMember(outcome);
  const account = <AccountBar service={service} session={session} goTo={onReload} />;
  const signedIn = outcome?.ok && outcome.value.account !== null ? outcome.value : null;
  if (!signedIn) {
    const isComing = outcome === null && isKnown;
    return isComing ? <MemberHead account={account} /> : <Home onJoin={onJoin} account={account} />;
  }
  return (
    <Suspense fallback={<MemberHead account={account} />}>
      <WorkspacePage
        baseUrl={window.location.origin}
        workspaces={signedIn.workspaces}
        account={account}
        join={<JoinForm onJoin={onJoin} />}
        onGo={onGo}
        onSignedOut={onReload}
      />
    </Suspense>
  );
}

/** Whether a member was signed in here before this visit. Remembers the answer for the next one. */
function useKnownMember(outcome: Outcome<Session> | null): boolean {
  const store = useMemo(() => browserStore("local"), []);
  const isKnown = useMemo(() => wasMember(store), [store]);
  useEffect(() => {
    if (outcome?.ok) rememberMember(outcome.value.account !== null, store);
  }, [outcome, store]);
  return isKnown;
}

/** The head of a member's page, until the page is there. */
function MemberHead({ account }: { readonly account: ReactNode }) {
  const { t } = useTranslation();
  return (
    <main className="member-page">
      <header className="member-head">
        <a className="member-mark" href="/">
          {t("product")}
        </a>
        <div className="member-account">{account}</div>
      </header>
    </main>
  );
}
