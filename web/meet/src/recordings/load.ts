import { loadAgain } from "@conclave/ui/load-again";

/** The recordings with their part of the message catalogue, loaded only for members. */
export async function loadRecordings() {
  const [{ Recordings }, { startWorkspaceMessages }, { startRecordingsMessages }] =
    await Promise.all([
      loadAgain(() => import("../features/recordings/recordings")),
      loadAgain(() => import("../messages/workspace")),
      loadAgain(() => import("../messages/recordings")),
    ]);
  startWorkspaceMessages();
  startRecordingsMessages();
  return { default: Recordings };
}
