import type { MediaPath } from "./media-path.js";

/** The ways that a connection test tries one by one. */
export type Way = Exclude<MediaPath, "relay_tcp">;

/** What a filter lets through, and what it saw on offer. */
export class TransportFilter {
  readonly #way: Way;
  #isOffered: boolean;

  constructor(way: Way) {
    this.#way = way;
    this.#isOffered = way === "udp";
  }

  /** Whether the service offers this way at all. */
  get isOffered(): boolean {
    return this.#isOffered;
  }

  /** The configuration of a connection that may only go this way. */
  configuration(config: RTCConfiguration = {}): RTCConfiguration {
    const iceServers = this.#isRelay
      ? (config.iceServers ?? []).flatMap((s) => this.#relay(s))
      : [];
    if (iceServers.length > 0) this.#isOffered = true;
    return { ...config, iceServers, iceTransportPolicy: this.#isRelay ? "relay" : "all" };
  }

  /** Whether a candidate of the media server may be used. A relay reaches all of them. */
  passes(candidate: string): boolean {
    if (this.#isRelay) return true;
    const protocol = candidate.split(" ")[2]?.toLowerCase();
    if (protocol === this.#way) this.#isOffered = true;
    return protocol === this.#way;
  }

  /** A session description without the candidates that may not be used. */
  description(sdp: string): string {
    return sdp
      .split("\r\n")
      .filter((line) => !line.startsWith("a=candidate:") || this.passes(line))
      .join("\r\n");
  }

  get #isRelay(): boolean {
    return this.#way === "relay_udp" || this.#way === "relay_tls";
  }

  #relay(server: RTCIceServer): RTCIceServer[] {
    const urls = [server.urls].flat().filter((url) => relayOf(url) === this.#way);
    return urls.length === 0 ? [] : [{ ...server, urls }];
  }
}

/** The way through the TURN server of an address (RFC 7065); null for other addresses. */
function relayOf(url: string): Way | null {
  if (url.startsWith("turns:")) return "relay_tls";
  return url.startsWith("turn:") && !/[?&]transport=tcp/.test(url) ? "relay_udp" : null;
}

/** A connection of browsers that a filter holds to one way. */
export function filtered(
  filter: TransportFilter,
  Original: typeof RTCPeerConnection,
): typeof RTCPeerConnection {
  return class extends Original {
    constructor(config?: RTCConfiguration) {
      super(filter.configuration(config));
    }
    override setConfiguration(config?: RTCConfiguration): void {
      super.setConfiguration(filter.configuration(config));
    }
    override async setRemoteDescription(description: RTCSessionDescriptionInit): Promise<void> {
      const sdp = filter.description(description.sdp ?? "");
      await super.setRemoteDescription({ type: description.type, sdp });
    }
    override async addIceCandidate(candidate?: RTCIceCandidateInit | null): Promise<void> {
      const text = candidate?.candidate ?? "";
      if (text === "" || filter.passes(text)) await super.addIceCandidate(candidate);
    }
  };
}
