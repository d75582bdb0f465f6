/**
 * The worker of a strict meeting: the groups' secrets are in its memory and nowhere else, and go with
 * it. The page gets keys that it can use but not read.
 */
import { browserClock } from "../clock.js";
import { GroupHost } from "./group-host.js";
import { GroupService } from "./group-service.js";
import type { FromGroupWorker, ToGroupWorker } from "./worker-messages.js";

const scope = globalThis as unknown as {
  postMessage: (message: FromGroupWorker) => void;
  onmessage: ((event: MessageEvent<ToGroupWorker>) => void) | null;
};

const host = new GroupHost({
  clock: browserClock,
  newDelivery: ({ baseUrl, ticket }, place) => new GroupService({ baseUrl, ticket, place }),
  tell: (message) => scope.postMessage(message),
});

scope.onmessage = ({ data }) => {
  // The page gets this as it gets any other error of its worker.
  host.take(data).catch((error: unknown) => reportError(error));
};
