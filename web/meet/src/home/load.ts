/** The dashboard with its part of the message catalogue, loaded only for members. */
export async function loadDashboard() {
  const [{ Dashboard }, { startDashboardMessages }] = await Promise.all([
    import("../features/dashboard/dashboard"),
    import("../messages/dashboard"),
  ]);
  startDashboardMessages();
  return { default: Dashboard };
}
