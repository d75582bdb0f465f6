interface Scope {
  readonly RTCRtpScriptTransform?: unknown;
  readonly RTCRtpSender?: { readonly prototype: object } | undefined;
}

/**
 * Whether this browser can encrypt the media of a meeting. It looks for the same as the media
 * library, which pages before the meeting do not have.
 */
export function canEncryptMedia(): boolean {
  const { RTCRtpScriptTransform, RTCRtpSender }: Scope = globalThis;
  if (RTCRtpScriptTransform !== undefined) return true;
  return RTCRtpSender !== undefined && "createEncodedStreams" in RTCRtpSender.prototype;
}
