import "@fontsource-variable/inter/wght.css";
import "@conclave/ui/tokens.css";
import "@conclave/ui/base.css";
import { canEncryptMedia } from "@conclave/client/pre-join";
import { loadAgain, loadStylesAgain } from "@conclave/ui/load-again";
import { lazy, type ReactNode, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { registeredSession } from "./account/register-browser";
import { AccountService } from "./features/account/account-service";
import { startMessages } from "./messages/i18n";
import { PageBoundary } from "./page-boundary";
import { type OtherPlace, type Place, placeOf, type RoomPlace } from "./room/address";
import { firstLook } from "./room/first-look";
import { LaterCode } from "./room/later-code";
import { LeaveGuard } from "./room/leave-guard";
import { RoomPage } from "./room/room-page";
import { Session } from "./room/session";
import { sendUnsentRecordings } from "./unsent-recordings";

startMessages();
loadStylesAgain(document);
sendUnsentRecordings(window.location.origin);

// Changing the fragment does not reload a page by itself, but a new secret needs a new page.
window.addEventListener("hashchange", () => window.location.reload());

function pageOf(place: Place): ReactNode {
  if (place.kind !== "room") {
    const Page = lazyPage(place);
    return (
      <PageBoundary>
        <Suspense fallback={null}>
          <Page />
        </Suspense>
      </PageBoundary>
    );
  }
  const service = new AccountService(window.location.origin);
  // A join link is for its own person, even if someone else is signed in.
  const accounts =
    place.joinSecret === null ? { service, session: registeredSession(service) } : null;
  const later = new LaterCode();
  const session = sessionIn(place, later);
  return (
    <PageBoundary onBreak={() => session.end()}>
      <RoomPage session={session} screens={later.screens} accounts={accounts} />
    </PageBoundary>
  );
}

function lazyPage(place: OtherPlace) {
  return lazy(async () => {
    const [pages, { startPageMessages }] = await Promise.all([
      loadAgain(() => import("./pages")),
      loadAgain(() => import("./messages/pages")),
    ]);
    startPageMessages();
    const page = pages.pageOf(place);
    return { default: () => page };
  });
}

function sessionIn(place: RoomPlace, later: LaterCode): Session {
  return new Session({
    code: place.code,
    joinSecret: place.joinSecret,
    linkSecret: place.linkSecret,
    baseUrl: window.location.origin,
    firstLook,
    loadMeeting: () => later.entry(),
    goTo: (url) => window.location.assign(url),
    guard: new LeaveGuard(window),
    canMeet: canEncryptMedia(),
  });
}

const root = document.getElementById("root");
if (root) {
  const { pathname, search, hash } = window.location;
  createRoot(root).render(<StrictMode>{pageOf(placeOf(pathname, search, hash))}</StrictMode>);
}
