/** Why a request was not accepted. */
export type WebhookErrorCode =
  /** There is no secret to verify with. An empty secret would make every forgery valid. */
  | "no_secret"
  /** The header is missing: the request is not from the service. */
  | "no_signature"
  /** The header is not t=<unix seconds>,v1=<hex>. */
  | "malformed_signature"
  /** The signature is from somebody else, or the body is not what was received. */
  | "signature_mismatch"
  /** The signature is valid, but older than tolerated. */
  | "too_old"
  /** The body is not an event. */
  | "malformed_event"
  /** The body is longer than an event can be. */
  | "body_too_large"
  /** The request is not a POST. */
  | "method_not_allowed";

export class WebhookError extends Error {
  override readonly name = "WebhookError";

  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
