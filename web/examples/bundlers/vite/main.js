import GroupWorker from "@conclave/client/strict/worker?worker";
import EncryptionWorker from "livekit-client/e2ee-worker?worker";
import { showMeetingPage } from "../meeting-page.js";

showMeetingPage({
  createEncryptionWorker: () => new EncryptionWorker(),
  createGroupWorker: () => new GroupWorker(),
});
