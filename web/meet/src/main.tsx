import "@fontsource-variable/inter/wght.css";
import "@conclave/ui/tokens.css";
import "@conclave/ui/base.css";
import { lazy, type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { loadCalendars, loadDevices } from "./account/load";
import { registerBrowser } from "./account/register-browser";
import { AccountPage } from "./features/account/account-page";
import { AccountService } from "./features/account/account-service";
import { InvitationPage } from "./features/account/invitation-page";
import { SignIn } from "./features/account/sign-in";
import { MissingPage } from "./features/join/missing-page";
import { HomePage } from "./home/home-page";
import { startMessages } from "./messages/i18n";
import { RecordingsPage } from "./recordings/recordings-page";
import { type Place, pathFromInput, placeOf } from "./room/address";
import { LeaveGuard } from "./room/leave-guard";
import { loadMeeting } from "./room/load";
import { RoomPage } from "./room/room-page";
import { Session } from "./room/session";
import { sendUnsentRecordings } from "./unsent-recordings";

startMessages();
sendUnsentRecordings(window.location.origin);

const Calendars = lazy(loadCalendars);
const Devices = lazy(loadDevices);

// Changing the fragment does not reload a page by itself, but a new secret needs a new page.
window.addEventListener("hashchange", () => window.location.reload());

function goToRoom(codeOrLink: string): boolean {
  const path = pathFromInput(codeOrLink, window.location.origin);
  if (path !== null) window.location.assign(path);
  return path !== null;
}

/**
 * Leaves a page and removes it from the history: a used invitation, for instance, does not work
 * again.
 */
function goOn(path: string): void {
  window.location.replace(path);
}

/** Who is signed in, for pages whose visitors may have recordings. */
function sessionOf(service: AccountService): ReturnType<AccountService["session"]> {
  const session = service.session();
  void registerBrowser(session).catch(() => undefined);
  return session;
}

function pageOf(place: Place): ReactNode {
  const service = new AccountService(window.location.origin);
  switch (place.kind) {
    case "home":
      return (
        <HomePage
          service={service}
          session={sessionOf(service)}
          onJoin={goToRoom}
          onGo={(url) => window.location.assign(url)}
          onReload={() => goOn("/")}
        />
      );
    case "missing":
      return <MissingPage onHome={() => window.location.assign("/")} />;
    case "recordings":
      return <RecordingsPage service={service} session={sessionOf(service)} goTo={goOn} />;
    case "sign-in":
      return (
        <SignIn
          service={service}
          session={service.session()}
          problem={place.problem}
          next={place.next}
          linkSecret={place.linkSecret}
          goTo={goOn}
        />
      );
    case "invitation":
      return (
        <InvitationPage
          service={service}
          secret={place.secret}
          invitation={service.lookUpInvitation(place.secret)}
          goTo={goOn}
        />
      );
    case "account":
      return (
        <AccountPage
          service={service}
          session={service.session()}
          calendars={
            <Calendars
              baseUrl={window.location.origin}
              problem={place.problem}
              onSignedOut={() => goOn("/sign-in?next=/account")}
            />
          }
          devices={(email) => (
            <Devices
              baseUrl={window.location.origin}
              email={email}
              onSignedOut={() => goOn("/sign-in?next=/account")}
            />
          )}
          goTo={goOn}
        />
      );
    case "room": {
      // A join link is for its own person, even if someone else is signed in.
      const accounts = place.joinSecret === null ? { service, session: sessionOf(service) } : null;
      return <RoomPage session={sessionIn(place)} accounts={accounts} />;
    }
  }
}

function sessionIn(place: Extract<Place, { kind: "room" }>): Session {
  return new Session({
    code: place.code,
    joinSecret: place.joinSecret,
    linkSecret: place.linkSecret,
    baseUrl: window.location.origin,
    loadMeeting,
    goTo: (url) => window.location.assign(url),
    guard: new LeaveGuard(window),
  });
}

const root = document.getElementById("root");
if (root) {
  const { pathname, search, hash } = window.location;
  createRoot(root).render(<StrictMode>{pageOf(placeOf(pathname, search, hash))}</StrictMode>);
}
