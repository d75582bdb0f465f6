import { OwnLanguage } from "@conclave/ui/own-language";
import i18next from "i18next";
import { lazy, type ReactNode } from "react";
import { loadCalendars, loadDevices } from "./account/load";
import { registeredSession } from "./account/register-browser";
import { loadConnectionTest } from "./connection/load";
import { AccountPage } from "./features/account/account-page";
import { AccountService } from "./features/account/account-service";
import { InvitationPage } from "./features/account/invitation-page";
import { SignIn } from "./features/account/sign-in";
import { MissingPage } from "./features/join/missing-page";
import { HomePage } from "./home/home-page";
import { RecordingsPage } from "./recordings/recordings-page";
import { type OtherPlace, pathFromInput } from "./room/address";

const Calendars = lazy(loadCalendars);
const Devices = lazy(loadDevices);
const ConnectionTestPage = lazy(loadConnectionTest);

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

/** The page of every place but a room. It loads apart, so that rooms do not wait for its code. */
export function pageOf(place: OtherPlace): ReactNode {
  return <OwnLanguage language={i18next.language}>{drawn(place)}</OwnLanguage>;
}

function drawn(place: OtherPlace): ReactNode {
  const service = new AccountService(window.location.origin);
  switch (place.kind) {
    case "home":
      return (
        <HomePage
          service={service}
          session={registeredSession(service)}
          onJoin={goToRoom}
          onGo={(url) => window.location.assign(url)}
          onReload={() => goOn("/")}
        />
      );
    case "missing":
      return <MissingPage onHome={() => window.location.assign("/")} />;
    case "connection-test":
      return (
        <ConnectionTestPage
          baseUrl={window.location.origin}
          code={place.code}
          joinSecret={place.joinSecret}
          onAgain={() => window.location.reload()}
        />
      );
    case "recordings":
      return <RecordingsPage service={service} session={registeredSession(service)} goTo={goOn} />;
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
      return accountPage(service, place.problem);
  }
}

/** The page of an account. A component would ask for the session each time it is drawn. */
function accountPage(service: AccountService, problem: string | null): ReactNode {
  const baseUrl = window.location.origin;
  const onSignedOut = () => goOn("/sign-in?next=/account");
  return (
    <AccountPage
      service={service}
      session={service.session()}
      calendars={<Calendars baseUrl={baseUrl} problem={problem} onSignedOut={onSignedOut} />}
      devices={(email) => <Devices baseUrl={baseUrl} email={email} onSignedOut={onSignedOut} />}
      goTo={goOn}
    />
  );
}
