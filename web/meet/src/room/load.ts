/**
 * The code that only a running meeting needs, loaded while the person gets ready, with its part of
 * the message catalogue.
 */
export async function loadMeetingPage() {
  const [{ MeetingPage }, { startMeetingMessages }] = await Promise.all([
    import("./meeting-page"),
    import("../messages/meeting"),
  ]);
  startMeetingMessages();
  return { default: MeetingPage };
}

export async function loadMeeting() {
  const [{ MeetingEntry }] = await Promise.all([import("./enter"), loadMeetingPage()]);
  return new MeetingEntry();
}
