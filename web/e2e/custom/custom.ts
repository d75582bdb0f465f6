import {
  browserStore,
  createMeetingFromToken,
  LocalMedia,
  type Meeting,
  type TokenCredentials,
} from "@conclave/client";
import EncryptionWorker from "livekit-client/e2ee-worker?worker";

declare global {
  interface Window {
    enter: (credentials: TokenCredentials) => Promise<void>;
    meeting: Meeting;
  }
}

/** The smallest interface there is: who is here, and what they look like. */
window.enter = async (credentials) => {
  const localMedia = new LocalMedia({ store: browserStore("local") });
  await Promise.all([localMedia.setMicrophone(true), localMedia.setCamera(true)]);
  const meeting = await createMeetingFromToken(credentials, {
    baseUrl: window.location.origin,
    localMedia,
    createEncryptionWorker: () => new EncryptionWorker(),
  });
  window.meeting = meeting;
  const list = document.querySelector("ul");
  const shown = new Map<string, HTMLVideoElement>();
  meeting.people.subscribe(() => {
    for (const person of meeting.people.get()) {
      // A picture may come before the service has said whose it is.
      if (!person.camera || person.name === null || person.isMe) continue;
      if (shown.has(person.camera.id)) continue;
      const video = document.createElement("video");
      video.autoplay = true;
      video.muted = true;
      const item = document.createElement("li");
      item.setAttribute("role", "group");
      item.setAttribute("aria-label", person.name);
      item.append(video);
      list?.append(item);
      person.camera.attach(video);
      shown.set(person.camera.id, video);
    }
  });
};
