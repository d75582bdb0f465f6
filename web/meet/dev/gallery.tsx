import "@fontsource-variable/inter/wght.css";
import "@conclave/ui/tokens.css";
import "@conclave/ui/base.css";
import { newLinkSecret, Value } from "@conclave/client/pre-join";
import { Avatar } from "@conclave/ui/avatar";
import { avatarIds } from "@conclave/ui/avatar-art";
import { createRoot } from "react-dom/client";
import { DeviceAlerts } from "../src/features/devices/device-alerts";
import { Home } from "../src/features/join/home";
import { MissingPage } from "../src/features/join/missing-page";
import { OutScreen } from "../src/features/join/out-screen";
import { PreJoin } from "../src/features/join/pre-join";
import { Refused } from "../src/features/join/refused";
import { startMessages } from "../src/messages/i18n";
import { startMeetingMessages } from "../src/messages/meeting";
import { startPageMessages } from "../src/messages/pages";
import { MeetingPage } from "../src/room/meeting-page";
import { PreJoinDevices } from "../src/room/pre-join-devices";
import { Unsent } from "../src/room/unsent";
import { fakeMedia, fakeMeeting, room } from "./fake-meeting";

/**
 * The screens with fake people: /dev/?show=meeting&count=4&screen&trouble&breakouts=host,
 * ?show=meeting&strict, ?show=pre-join, ...
 */

startMessages();
startMeetingMessages();
startPageMessages();
const params = new URLSearchParams(window.location.search);

const outReason = params.get("reason") === "removed" ? "removed" : "left";

function Show() {
  switch (params.get("show")) {
    case "pre-join":
      return <PreJoinShow />;
    case "home":
      return <Home onJoin={() => false} account={null} />;
    case "refused":
      return (
        <Refused
          refusal={{ reason: params.get("reason") ?? "room_locked", message: null }}
          onRetry={() => {}}
          onReload={() => {}}
          onHome={() => {}}
        />
      );
    case "out":
      return (
        <OutScreen
          reason={outReason}
          connectionTest="/connection"
          recording={params.get("recording")}
          onContinue={null}
          onRejoin={() => {}}
          onReload={() => {}}
          onHome={() => {}}
        />
      );
    case "missing":
      return <MissingPage onHome={() => {}} />;
    case "avatars":
      return (
        <main
          style={{ display: "grid", gridTemplateColumns: "repeat(8, 120px)", gap: 16, padding: 16 }}
        >
          {avatarIds.map((id) => (
            <Avatar key={id} name={id} avatar={id} />
          ))}
        </main>
      );
    default:
      return <MeetingPage meeting={meeting} linkSecret={linkSecret} guard={guard} />;
  }
}

const meeting = fakeMeeting({
  count: Number(params.get("count") ?? 4),
  screen: params.has("screen"),
  trouble: params.has("trouble"),
  breakouts: params.get("breakouts"),
  strict: params.has("strict"),
  locked: params.has("locked"),
  sharing: params.has("sharing"),
  recording: params.has("recording"),
});
const guard = {
  isAsking: new Value(params.has("leaving")),
  stay: () => {},
  unsent: new Unsent(),
};
const linkSecret = params.has("strict") ? newLinkSecret() : null;
const media = fakeMedia(true, false);

function PreJoinShow() {
  return (
    <PreJoin
      lookUp={{
        room,
        person: null,
        signed_in: false,
        decision: "enter",
        reason: null,
        may_unlock: false,
        message: null,
        next: null,
        inside: { count: 5, names: ["Bob", "ליאת", "Grace Hopper"] },
      }}
      media={media}
      remembered={{ name: "Ada Lovelace", avatar: "a03" }}
      refusal={null}
      joining={false}
      onJoin={() => {}}
      calendarFile={async () => null}
      connectionTest="/connection"
      devices={<PreJoinDevices media={media} isAudience={false} />}
      deviceAlerts={<DeviceAlerts media={media} />}
    />
  );
}

const root = document.getElementById("root");
if (root) createRoot(root).render(<Show />);
