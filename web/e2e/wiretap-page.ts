/** A key in base64, and what it is for. */
export interface ReportedKey {
  readonly kind: "media" | "data" | "message" | "signature" | "public";
  readonly bytes: string;
}

/** What a page or a worker tells its wiretap; bytes are in base64. */
export interface Heard {
  readonly keys?: readonly ReportedKey[];
  /** The device's own frames. */
  readonly sent?: readonly { readonly iv: string; readonly at: number }[];
  /** Frames of others, before they are decrypted. */
  readonly forwarded?: readonly {
    readonly iv: string;
    readonly clear: string;
    readonly sealed: string;
  }[];
  /** What goes to the other devices through the media server. */
  readonly packets?: readonly string[];
}

export interface Listening {
  /** Where to report to. */
  readonly reports: string;
  readonly withFrames: boolean;
}

/**
 * Runs in a page and in its workers, before their own scripts: tells the wiretap which keys they
 * give to the browser's cryptography, the frames they encrypt and decrypt, and the packets they
 * send.
 */
export function listenIn({ reports, withFrames }: Listening): void {
  const write = (given: unknown): string => {
    const bytes = ArrayBuffer.isView(given)
      ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
      : new Uint8Array(given as ArrayBuffer);
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  };
  const tell = (heard: Heard, keepalive: boolean): void => {
    fetch(reports, { method: "POST", body: JSON.stringify(heard), keepalive }).catch(() => {});
  };
  const hear = (on: object, name: string, told: (...given: never[]) => void): void => {
    const original = Reflect.get(on, name) as (...given: unknown[]) => unknown;
    const value = function (this: unknown, ...given: unknown[]): unknown {
      told(...(given as never[]));
      return original.apply(this, given);
    };
    Object.defineProperty(on, name, { value });
  };

  const kindOf = (format: string, algorithm: unknown, usages: readonly string[]) => {
    if (algorithm === "Ed25519") return format === "pkcs8" ? "signature" : "public";
    if (algorithm === "HKDF") return "media";
    if (algorithm === "AES-GCM") return usages.length > 1 ? "data" : "message";
    return null;
  };
  type Import = [string, BufferSource, unknown, boolean, readonly string[]];
  hear(SubtleCrypto.prototype, "importKey", (...[format, key, algorithm, , usages]: Import) => {
    const kind = kindOf(format, algorithm, usages);
    if (kind) tell({ keys: [{ kind, bytes: write(key) }] }, true);
  });

  if (typeof document !== "undefined") {
    hear(RTCDataChannel.prototype, "send", (packet: unknown) => {
      if (typeof packet !== "string") tell({ packets: [write(packet)] }, true);
    });
    return;
  }

  if (!withFrames) return;
  // In a worker only media has keys of this length. Its frames are many, so they are told together.
  const isMedia = (key: CryptoKey) => (key.algorithm as AesKeyAlgorithm).length === 256;
  let sent: { iv: string; at: number }[] = [];
  let forwarded: { iv: string; clear: string; sealed: string }[] = [];
  hear(SubtleCrypto.prototype, "encrypt", ({ iv }: AesGcmParams, key: CryptoKey) => {
    if (isMedia(key)) sent.push({ iv: write(iv), at: Date.now() });
  });
  hear(
    SubtleCrypto.prototype,
    "decrypt",
    ({ iv, additionalData }: AesGcmParams, key: CryptoKey, sealed: unknown) => {
      if (!isMedia(key)) return;
      forwarded.push({ iv: write(iv), clear: write(additionalData), sealed: write(sealed) });
    },
  );
  setInterval(() => {
    if (sent.length + forwarded.length === 0) return;
    tell({ sent, forwarded }, false);
    sent = [];
    forwarded = [];
  }, 250);
}
