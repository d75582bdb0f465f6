import { loadAgain } from "@conclave/ui/load-again";

/** The recordings with their part of the message catalogue, loaded only for members. */
export async function loadRecordings() {
  const [{ Recordings }, { startDashboardMessages }, { startRecordingsMessages }] =
    await Promise.all([
      loadAgain(() => import("../features/recordings/recordings")),
      loadAgain(() => import("../messages/dashboard")),
      loadAgain(() => import("../messages/recordings")),
    ]);
  startDashboardMessages();
  startRecordingsMessages();
  return { default: Recordings };
}
