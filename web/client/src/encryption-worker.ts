/** The browser cannot encrypt what a meeting needs, so it cannot join. */
export class EncryptionUnsupported extends Error {
  constructor() {
    super("This browser cannot encrypt this meeting end to end.");
    this.name = "EncryptionUnsupported";
  }
}

/** The worker that encrypts could not be loaded, so nothing can be sent or heard. */
export class EncryptionWorkerFailed extends Error {
  constructor() {
    super("The worker for encryption could not be loaded from the address that the page gave.");
    this.name = "EncryptionWorkerFailed";
  }
}

/**
 * Rejects when a worker cannot be loaded. An error of a worker that has answered is the business of
 * the media library.
 */
export function failureOf(
  worker: Pick<Worker, "addEventListener" | "removeEventListener">,
): Promise<never> {
  const failure = new Promise<never>((_, reject) => {
    const failed = () => reject(new EncryptionWorkerFailed());
    worker.addEventListener("error", failed, { once: true });
    worker.addEventListener("message", () => worker.removeEventListener("error", failed), {
      once: true,
    });
  });
  failure.catch(() => {}); // the connection may be closed before anybody waits
  return failure;
}
