/** The page that tests the connection, with its part of the message catalogue. */
export async function loadConnectionTest() {
  const [{ ConnectionTestPage }, { startConnectionMessages }] = await Promise.all([
    import("../features/connection/connection-test-page"),
    import("../messages/connection"),
  ]);
  startConnectionMessages();
  return { default: ConnectionTestPage };
}
