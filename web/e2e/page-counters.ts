export type Kind = "sound" | "soundTracks" | "frames" | "packets" | "freezes";

/** How much each stream, or each data channel, has received. */
export type Counters = Readonly<Record<string, number>>;

/** How much has arrived since. A stream that has ended meanwhile does not count. */
export function growth(before: Counters, now: Counters): number {
  return Object.entries(now)
    .map(([name, value]) => Math.max(0, value - (before[name] ?? 0)))
    .reduce((sum, value) => sum + value, 0);
}

declare global {
  interface Window {
    /** The states of the page's connections for media. */
    connectionStates: () => readonly string[];
    counters: (kind: Kind) => Promise<Counters>;
    /** The sum of all counters of this kind. */
    measure: (kind: Kind) => Promise<number>;
  }
}

/** Runs in the page: keeps its connections, so that a test can read their statistics. */
export function keepConnections(): void {
  const connections: RTCPeerConnection[] = [];
  const Original = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Original {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      connections.push(this);
    }
  };
  window.connectionStates = () =>
    connections.map(
      (one) => `${one.connectionState} ${one.iceConnectionState} ${one.signalingState}`,
    );
  const read = (kind: Kind, entry: Record<string, unknown>): unknown => {
    if (kind === "packets") {
      return entry["type"] === "data-channel" ? entry["messagesReceived"] : null;
    }
    if (entry["type"] !== "inbound-rtp") return null;
    if (kind === "soundTracks") return entry["kind"] === "audio" ? entry["packetsReceived"] : null;
    if (kind === "freezes") return entry["freezeCount"];
    return kind === "sound" ? entry["totalAudioEnergy"] : entry["framesDecoded"];
  };
  window.counters = async (kind) => {
    const found: Record<string, number> = {};
    for (const [number, connection] of connections.entries()) {
      if (connection.connectionState === "closed") continue;
      const report = await connection.getStats();
      report.forEach((entry: Record<string, unknown>) => {
        const value = read(kind, entry);
        if (typeof value === "number") found[`${number} ${entry["id"]}`] = value;
      });
    }
    return found;
  };
  window.measure = async (kind) =>
    Object.values(await window.counters(kind)).reduce((sum, value) => sum + value, 0);
}
