/** The recordings with their part of the catalogue, which only members need. */
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
