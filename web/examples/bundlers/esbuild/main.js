import { showMeetingPage } from "../meeting-page.js";

// The files that build.js makes of the workers, beside this one.
showMeetingPage({
  createEncryptionWorker: () =>
    new Worker(new URL("./encryption-worker.js", import.meta.url), { type: "module" }),
  createGroupWorker: () =>
    new Worker(new URL("./group-worker.js", import.meta.url), { type: "module" }),
});
