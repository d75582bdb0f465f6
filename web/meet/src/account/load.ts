import { loadAgain } from "@conclave/ui/load-again";

/** The account page's calendars, with their part of the message catalogue. */
export async function loadCalendars() {
  const [{ Calendars }, { startCalendarMessages }] = await Promise.all([
    loadAgain(() => import("../features/account/calendars")),
    loadAgain(() => import("../messages/calendars")),
  ]);
  startCalendarMessages();
  return { default: Calendars };
}

/** The account page's devices, with their part of the message catalogue. */
export async function loadDevices() {
  const [{ Devices }, { startDevicesMessages }] = await Promise.all([
    loadAgain(() => import("../features/account/devices")),
    loadAgain(() => import("../messages/devices")),
  ]);
  startDevicesMessages();
  return { default: Devices };
}
