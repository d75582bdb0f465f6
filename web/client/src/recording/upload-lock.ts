/** Tells pages of one browser which of them sends a recording. */

function lockOf(id: string): string {
  return `conclave-recording-${id}`;
}

/** Keeps other pages from sending this recording, until the returned function is called. */
export function holdUpload(id: string): () => void {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  void navigator.locks?.request(lockOf(id), () => held).catch(() => {});
  return release;
}

/** Does it if no page sends this recording, and keeps the others from it meanwhile. */
export async function ifUploadIsFree(id: string, act: () => Promise<void>): Promise<void> {
  await navigator.locks?.request(lockOf(id), { ifAvailable: true }, async (lock) => {
    if (lock) await act();
  });
}
