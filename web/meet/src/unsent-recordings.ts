/** How long to wait after the page was opened, in milliseconds. */
const patience = 3000;

/** Sends parts that an earlier page recorded on this device and did not send. */
export function sendUnsentRecordings(baseUrl: string): void {
  setTimeout(() => void send(baseUrl), patience);
}

async function send(baseUrl: string): Promise<void> {
  try {
    const files = await navigator.storage.getDirectory();
    // Rejects on a device that never recorded, and then there is nothing to send.
    await files.getDirectoryHandle("conclave-recordings");
    const { sendLeftovers } = await import("@conclave/client/recording/leftovers");
    await sendLeftovers(baseUrl);
  } catch {
    // A later page tries again.
  }
}
