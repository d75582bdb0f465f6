/**
 * The way that sound and pictures take to the media server: straight there over UDP or TCP, or
 * through the service's TURN server, over UDP, or over TCP or TLS on the port of HTTPS.
 */
export type MediaPath = "udp" | "tcp" | "relay_udp" | "relay_tcp" | "relay_tls";

interface Stats {
  readonly id: string;
  readonly type: string;
}

interface Transport extends Stats {
  readonly selectedCandidatePairId?: string;
}

interface Pair extends Stats {
  readonly localCandidateId?: string;
  /** Only Firefox has it, and no transport. */
  readonly selected?: boolean;
}

interface Candidate extends Stats {
  readonly candidateType?: string;
  readonly protocol?: string;
  readonly relayProtocol?: string;
}

/** The way of a connection, from its statistics; null while it has none. */
export function pathOf(report: Iterable<readonly [string, Stats]>): MediaPath | null {
  const all = new Map(report);
  const transports = [...all.values()].filter(({ type }) => type === "transport") as Transport[];
  const chosen = transports.map(({ selectedCandidatePairId: id }) => (id ? all.get(id) : null));
  const pairs = [...all.values()].filter(({ type }) => type === "candidate-pair") as Pair[];
  const pair = (chosen.find((found) => found) ?? pairs.find(({ selected }) => selected)) as
    | Pair
    | undefined;
  const candidate = pair?.localCandidateId
    ? (all.get(pair.localCandidateId) as Candidate | undefined)
    : undefined;
  if (!candidate) return null;
  if (candidate.candidateType !== "relay") return candidate.protocol === "tcp" ? "tcp" : "udp";
  switch (candidate.relayProtocol) {
    case "tls":
      return "relay_tls";
    case "tcp":
      return "relay_tcp";
    default:
      return "relay_udp";
  }
}
