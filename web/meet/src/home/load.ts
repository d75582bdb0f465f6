/** What only members see, with its part of the catalogue: fetched when somebody turns out to be one. */
export async function loadDashboard() {
  const [{ Dashboard }, { startDashboardMessages }] = await Promise.all([
    import("../features/dashboard/dashboard"),
    import("../messages/dashboard"),
  ]);
  startDashboardMessages();
  return { default: Dashboard };
}
