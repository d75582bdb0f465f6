import "@fontsource-variable/inter/wght.css";
import "@conclave/ui/tokens.css";
import "@conclave/ui/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Home } from "./features/join/home";
import { startMessages } from "./messages/i18n";
import { pathFromInput, placeOf } from "./room/address";
import { loadMeeting } from "./room/load";
import { RoomPage } from "./room/room-page";
import { Session } from "./room/session";

startMessages();

const place = placeOf(window.location.pathname, window.location.hash);
const session =
  place.kind === "room"
    ? new Session({
        code: place.code,
        joinSecret: place.joinSecret,
        baseUrl: window.location.origin,
        loadMeeting,
        goTo: (url) => window.location.assign(url),
      })
    : null;

// Another code or another join link in the same window is another room.
window.addEventListener("hashchange", () => window.location.reload());

function goToRoom(codeOrLink: string): boolean {
  const path = pathFromInput(codeOrLink, window.location.origin);
  if (path !== null) window.location.assign(path);
  return path !== null;
}

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      {session ? <RoomPage session={session} /> : <Home onJoin={goToRoom} />}
    </StrictMode>,
  );
}
