import { showMeetingPage } from "../meeting-page.js";

// webpack finds `new Worker(new URL(...))` only when it is written exactly like this.
showMeetingPage({
  createEncryptionWorker: () =>
    new Worker(new URL("livekit-client/e2ee-worker", import.meta.url), { type: "module" }),
  createGroupWorker: () =>
    new Worker(new URL("@conclave/client/strict/worker", import.meta.url), { type: "module" }),
});
