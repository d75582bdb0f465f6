/** Whether the person can still be asked to allow notifications. */
export function mayAskToNotify(): boolean {
  return "Notification" in globalThis && Notification.permission === "default";
}

/** Asks the browser, and so the person, for permission to notify. */
export async function askToNotify(): Promise<void> {
  await Notification.requestPermission();
}

/** Notifies a person who looks at another tab or program. Does nothing without permission. */
export function notifyOfWaiting(title: string, name: string): void {
  if (document.hasFocus() || !("Notification" in globalThis)) return;
  if (Notification.permission !== "granted") return;
  try {
    const notification = new Notification(title, { body: name, tag: "conclave-waiting" });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  } catch {
    // Browsers on Android allow notifications from service workers alone. Sound and title remain.
  }
}
