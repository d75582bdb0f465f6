import { expect, test } from "vitest";
import { EncryptionWorkerFailed, failureOf } from "./encryption-worker.js";

test("a worker that cannot be loaded is noticed", async () => {
  const worker = new EventTarget() as unknown as Worker;
  const failure = failureOf(worker);
  worker.dispatchEvent(new Event("error"));
  await expect(failure).rejects.toBeInstanceOf(EncryptionWorkerFailed);
});

test("an error of a worker that has answered does not count as one that cannot be loaded", async () => {
  const worker = new EventTarget() as unknown as Worker;
  const failure = failureOf(worker);
  worker.dispatchEvent(new Event("message"));
  worker.dispatchEvent(new Event("error"));
  expect(await Promise.race([failure, Promise.resolve("still waiting")])).toBe("still waiting");
});
