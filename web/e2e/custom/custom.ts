import {
  browserStore,
  createMeetingFromToken,
  LocalMedia,
  type Meeting,
  type TokenCredentials,
} from "@conclave/client";
import EncryptionWorker from "livekit-client/e2ee-worker?worker";
import { showBreakouts } from "./breakouts";
import { showPeople } from "./people";

declare global {
  interface Window {
    enter: (credentials: TokenCredentials) => Promise<void>;
    meeting: Meeting;
  }
}

/** A minimal interface: the people who are here, their pictures, and the name of the room. */
window.enter = async (credentials) => {
  const localMedia = new LocalMedia({ store: browserStore("local") });
  await Promise.all([localMedia.setMicrophone(true), localMedia.setCamera(true)]);
  const meeting = await createMeetingFromToken(credentials, {
    baseUrl: window.location.origin,
    localMedia,
    createEncryptionWorker: () => new EncryptionWorker(),
  });
  window.meeting = meeting;
  showPeople(meeting);
  showBreakouts(meeting.breakouts);
};
