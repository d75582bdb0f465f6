/** The recordings with their part of the message catalogue, loaded only for members. */
export async function loadRecordings() {
  const [{ Recordings }, { startDashboardMessages }, { startRecordingsMessages }] =
    await Promise.all([
      import("../features/recordings/recordings"),
      import("../messages/dashboard"),
      import("../messages/recordings"),
    ]);
  startDashboardMessages();
  startRecordingsMessages();
  return { default: Recordings };
}
