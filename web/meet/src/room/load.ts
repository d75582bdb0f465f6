/** The code that only a running meeting needs, loaded while the person gets ready. */
export const loadMeetingPage = () =>
  import("./meeting-page").then(({ MeetingPage }) => ({ default: MeetingPage }));

export async function loadMeeting() {
  const [{ enterMeeting }] = await Promise.all([import("./enter"), loadMeetingPage()]);
  return enterMeeting;
}
