import type { TakeNote } from "./steps.js";
import { watchCounters } from "./watch-counters.js";

/**
 * Notes what the peer connections of a page do, and what they receive. `onTrack` gets the pictures
 * of others.
 */
export function watchConnections(
  page: Window & typeof globalThis,
  note: TakeNote,
  onTrack: (track: MediaStreamTrack) => void,
): void {
  page.RTCPeerConnection = class extends page.RTCPeerConnection {
    constructor(...given: ConstructorParameters<typeof RTCPeerConnection>) {
      super(...given);
      note("connection made");
      watchNegotiations(this, note);
      watchTransports(this, note);
      watchCounters(this, note);
      this.addEventListener("track", ({ track }) => {
        if (track.kind !== "video") return;
        note("track");
        track.addEventListener("unmute", () => note("first packet"), { once: true });
        onTrack(track);
      });
    }

    override addTransceiver(
      ...given: Parameters<RTCPeerConnection["addTransceiver"]>
    ): RTCRtpTransceiver {
      const [what] = given;
      if (what instanceof MediaStreamTrack && what.kind === "video") publishes(this, note);
      return super.addTransceiver(...given);
    }
  };
}

/** A picture is published once the next negotiation has ended. */
function publishes(connection: RTCPeerConnection, note: TakeNote): void {
  note("publishing");
  const settled = () => {
    if (connection.signalingState !== "stable") return;
    connection.removeEventListener("signalingstatechange", settled);
    note("published");
  };
  connection.addEventListener("signalingstatechange", settled);
}

function watchNegotiations(connection: RTCPeerConnection, note: TakeNote): void {
  connection.addEventListener("signalingstatechange", () => {
    const { signalingState } = connection;
    if (signalingState === "stable") note("negotiated");
    else if (signalingState !== "closed") note("offered", signalingState.split("-")[1]);
  });
}

function watchTransports(connection: RTCPeerConnection, note: TakeNote): void {
  const watched = new WeakSet<RTCDtlsTransport>();
  const watch = (transport: RTCDtlsTransport) => {
    watched.add(transport);
    const changed = () => {
      if (transport.state === "connected") note("DTLS connected");
    };
    transport.addEventListener("statechange", changed);
    changed();
  };
  connection.addEventListener("signalingstatechange", () => {
    const ofMedia = connection.getReceivers().map(({ transport }) => transport);
    for (const transport of [connection.sctp?.transport, ...ofMedia]) {
      if (transport && !watched.has(transport)) watch(transport);
    }
  });
  connection.addEventListener("iceconnectionstatechange", () => {
    if (connection.iceConnectionState === "connected") note("ICE connected");
  });
  connection.addEventListener("connectionstatechange", () => {
    if (connection.connectionState === "connected") note("connected");
  });
}
