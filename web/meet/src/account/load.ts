/** Somebody's calendars with their part of the catalogue, which only the account page needs. */
export async function loadCalendars() {
  const [{ Calendars }, { startCalendarMessages }] = await Promise.all([
    import("../features/account/calendars"),
    import("../messages/calendars"),
  ]);
  startCalendarMessages();
  return { default: Calendars };
}

/** Somebody's devices with their part of the catalogue, which only the account page needs. */
export async function loadDevices() {
  const [{ Devices }, { startDevicesMessages }] = await Promise.all([
    import("../features/account/devices"),
    import("../messages/devices"),
  ]);
  startDevicesMessages();
  return { default: Devices };
}
