import { lazy, Suspense, use, useEffect } from "react";
import { AccountBar } from "../features/account/account-bar";
import type { AccountService, Session } from "../features/account/account-service";
import { Problem } from "../features/account/problem";
import type { Outcome } from "../member/outcome";
import { loadRecordings } from "./load";

const Recordings = lazy(loadRecordings);

export interface RecordingsPageProps {
  readonly service: AccountService;
  readonly session: Promise<Outcome<Session>>;
  readonly goTo: (path: string) => void;
}

/** The page on which members find recordings. */
export function RecordingsPage(props: RecordingsPageProps) {
  return (
    <Suspense fallback={null}>
      <Opened {...props} />
    </Suspense>
  );
}

const signIn = "/sign-in?next=/recordings";

function Opened({ service, session, goTo }: RecordingsPageProps) {
  const outcome = use(session);
  if (!outcome.ok) return <Problem code={outcome.code} />;
  const { account, workspaces } = outcome.value;
  if (account === null) return <ToSignIn goTo={goTo} />;
  return (
    <Recordings
      baseUrl={window.location.origin}
      workspaces={workspaces}
      account={<AccountBar service={service} session={session} goTo={goTo} />}
      email={account.email}
      onSignedOut={() => goTo(signIn)}
    />
  );
}

/** Sends a person who is not signed in to the sign-in page, and then back here. */
function ToSignIn({ goTo }: Pick<RecordingsPageProps, "goTo">) {
  useEffect(() => goTo(signIn), [goTo]);
  return null;
}
