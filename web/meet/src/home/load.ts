import { loadAgain } from "@conclave/ui/load-again";

/** The dashboard with its part of the message catalogue, loaded only for members. */
export async function loadDashboard() {
  const [{ Dashboard }, { startDashboardMessages }] = await Promise.all([
    loadAgain(() => import("../features/dashboard/dashboard")),
    loadAgain(() => import("../messages/dashboard")),
  ]);
  startDashboardMessages();
  return { default: Dashboard };
}
