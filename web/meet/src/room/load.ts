/** The code that only a running meeting needs, loaded while the person gets ready. */
export const loadMeetingPage = () =>
  import("./meeting-page").then(({ MeetingPage }) => ({ default: MeetingPage }));

export async function loadMeeting() {
  const [{ MeetingEntry }] = await Promise.all([import("./enter"), loadMeetingPage()]);
  return new MeetingEntry();
}
