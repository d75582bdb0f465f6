/** What the media library calls the transport of a connection, as far as it matters here. */
export interface Transport {
  getConnectionState: () => string;
  /** The offer that went out with the request to join, until it is answered. */
  readonly pendingInitialOffer?: unknown;
}

/**
 * Makes a transport say that it is connecting while its first offer is being answered. Otherwise
 * livekit-client 2.23 takes it for one that has made no offer, and makes a second one that changes
 * nothing. Answering that interrupts what the browser receives, so the first key frame is often
 * lost.
 */
export function countFirstOffer(transport: Transport): void {
  const state = transport.getConnectionState.bind(transport);
  transport.getConnectionState = () => {
    const now = state();
    return now === "new" && transport.pendingInitialOffer ? "connecting" : now;
  };
}
