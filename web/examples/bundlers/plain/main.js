import { showMeetingPage } from "../meeting-page.js";

// The files that copy.js puts beside this page.
showMeetingPage({
  createEncryptionWorker: () => new Worker("./conclave/encryption-worker.js", { type: "module" }),
  createGroupWorker: () => new Worker("./conclave/group-worker.js", { type: "module" }),
});
