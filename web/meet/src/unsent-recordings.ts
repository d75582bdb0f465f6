/** How long a page that was opened is left in peace first, in milliseconds. */
const patience = 3000;

/** Sends what an earlier page recorded on this device and could not send, if there is anything. */
export function sendUnsentRecordings(baseUrl: string): void {
  setTimeout(() => void send(baseUrl), patience);
}

async function send(baseUrl: string): Promise<void> {
  try {
    const files = await navigator.storage.getDirectory();
    // Rejects on every device that never recorded, and then there is nothing to fetch.
    await files.getDirectoryHandle("conclave-recordings");
    const { sendLeftovers } = await import("@conclave/client/recording/leftovers");
    await sendLeftovers(baseUrl);
  } catch {
    // A later page tries again.
  }
}
