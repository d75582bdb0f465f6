/** A lock by which the pages of one browser agree on which of them sends a recording. */

function lockOf(id: string): string {
  return `conclave-recording-${id}`;
}

/** Takes the lock of a recording, until the returned function is called. */
export function holdUpload(id: string): () => void {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  void navigator.locks?.request(lockOf(id), () => held).catch(() => {});
  return release;
}

/** Runs the function with the lock of a recording, unless another page has it. */
export async function ifUploadIsFree(id: string, act: () => Promise<void>): Promise<void> {
  await navigator.locks?.request(lockOf(id), { ifAvailable: true }, async (lock) => {
    if (lock) await act();
  });
}
