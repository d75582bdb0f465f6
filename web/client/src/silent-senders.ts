/** What the media library calls the transport of a connection, as far as it matters here. */
export interface SendingTransport {
  readonly pc: Pick<RTCPeerConnection, "getTransceivers">;
  /** The sections of a description that send nothing. */
  getPlaceholderMids: () => Set<string>;
}

/**
 * Makes a transport count a section that sends although its sender has no track at the moment.
 * Otherwise livekit-client 2.23 takes it for a placeholder, and copies the parameters of another
 * section over what was negotiated for it, such as silence that is not sent (DTX).
 */
export function countSilentSenders(transport: SendingTransport): void {
  const placeholders = transport.getPlaceholderMids.bind(transport);
  transport.getPlaceholderMids = () => {
    const mids = placeholders();
    for (const { direction, mid } of transport.pc.getTransceivers()) {
      if (direction === "sendonly" && mid !== null) mids.delete(mid);
    }
    return mids;
  };
}
