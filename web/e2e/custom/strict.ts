import {
  browserStore,
  createMeeting,
  Entrance,
  LocalMedia,
  type Meeting,
  readLinkSecret,
} from "@conclave/client";
import GroupWorker from "@conclave/client/strict/worker?worker";
import EncryptionWorker from "livekit-client/e2ee-worker?worker";
import { showComparing } from "./comparing";
import { showPeople } from "./people";

/** Enters a strict meeting with nothing more than a join link, which may have a secret part. */
async function enter(link: string): Promise<Meeting> {
  const { origin: baseUrl, pathname, hash } = new URL(link);
  const fragment = new URLSearchParams(hash.slice(1));
  const secret = fragment.get("k");
  const linkSecret = secret === null ? null : readLinkSecret(secret);
  if (secret !== null && linkSecret === null) throw new Error("The link is not complete.");

  const entrance = new Entrance({
    baseUrl,
    code: pathname.slice(1),
    joinSecret: fragment.get("join"),
    store: browserStore("session"),
  });
  const { room, person } = await entrance.lookUp();
  const localMedia = new LocalMedia({ store: browserStore("local") });
  await Promise.all([localMedia.setMicrophone(true), localMedia.setCamera(true)]);
  const seat = await entrance.takeSeat({ name: person?.name ?? "Guest" });
  if (seat.decision !== "enter") throw new Error("A host has to let you in.");
  return createMeeting({
    baseUrl,
    seat,
    room,
    seats: entrance.seats,
    localMedia,
    linkSecret,
    createEncryptionWorker: () => new EncryptionWorker(),
    createGroupWorker: () => new GroupWorker(),
  });
}

declare global {
  interface Window {
    enterStrict: (link: string) => Promise<void>;
    strictMeeting: Meeting;
  }
}

window.enterStrict = async (link) => {
  const meeting = await enter(link);
  window.strictMeeting = meeting;
  showPeople(meeting);
  showComparing(meeting);
};
