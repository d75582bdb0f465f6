import { loadAgain } from "@conclave/ui/load-again";

/** The page that tests the connection, with its part of the message catalogue. */
export async function loadConnectionTest() {
  const [{ ConnectionTestPage }, { startConnectionMessages }] = await Promise.all([
    loadAgain(() => import("../features/connection/connection-test-page")),
    loadAgain(() => import("../messages/connection")),
  ]);
  startConnectionMessages();
  return { default: ConnectionTestPage };
}
