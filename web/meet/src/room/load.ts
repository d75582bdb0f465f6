import { loadAgain } from "@conclave/ui/load-again";

/**
 * The code that only a running meeting needs, loaded while the person gets ready, with its part of
 * the message catalogue.
 */
export async function loadMeetingPage() {
  const [{ MeetingPage }, { startMeetingMessages }] = await Promise.all([
    loadAgain(() => import("./meeting-page")),
    loadAgain(() => import("../messages/meeting")),
  ]);
  startMeetingMessages();
  return { default: MeetingPage };
}

/** The screen of people who wait. */
export async function loadWaitingScreen() {
  const { WaitingScreen } = await loadAgain(() => import("../features/join/waiting-screen"));
  return { default: WaitingScreen };
}

/** The screen of people who are out again. */
export async function loadOutScreen() {
  const { OutScreen } = await loadAgain(() => import("../features/join/out-screen"));
  return { default: OutScreen };
}

export async function loadMeeting() {
  const [{ MeetingEntry }] = await Promise.all([
    loadAgain(() => import("./enter")),
    loadMeetingPage(),
    loadWaitingScreen(),
    loadOutScreen(),
  ]);
  return new MeetingEntry();
}
