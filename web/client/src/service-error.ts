/** A request the service refused, or that never reached it (status 0, code `network`). */
export class ServiceError extends Error {
  readonly status: number;
  /** A stable code for programs: `room_locked`, `not_found`, `ticket_invalid`, `network`, ... */
  readonly code: string;
  readonly requestId: string | null;
  /** How many seconds a busy service asks to wait before another try; null when it does not say. */
  readonly retryAfter: number | null;

  constructor(
    status: number,
    code: string,
    message: string,
    requestId: string | null,
    retryAfter: number | null = null,
  ) {
    super(message);
    this.name = "ServiceError";
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** Whether trying again may help: the service was not reachable, or said that it is busy. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  return error.status === 0 || error.status === 429 || error.status >= 500;
}

/** Whether the service answered that it cannot answer now. */
export function isBusy(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (error.status === 429 || error.status >= 500);
}

const doorRefusals: ReadonlySet<string> = new Set([
  "admission_knock",
  "access_members",
  "before_host",
  "room_locked",
  "not_let_in",
  "encryption_strict",
]);

/** Whether the door refused the person, which may change: look the room up again. */
export function isDoorRefusal(error: unknown): boolean {
  return error instanceof ServiceError && doorRefusals.has(error.code);
}

/** The error in an answer that is not a success. */
export async function refusalOf(response: Response): Promise<ServiceError> {
  let detail: { code?: unknown; message?: unknown; request_id?: unknown } = {};
  try {
    const body = (await response.json()) as { error?: typeof detail } | null;
    detail = body?.error ?? {};
  } catch {
    // Not the service's own format: a proxy in between answered. The status says enough.
  }
  const code = typeof detail.code === "string" ? detail.code : `http_${response.status}`;
  const message =
    typeof detail.message === "string"
      ? detail.message
      : `The service answered ${response.status}.`;
  const requestId = typeof detail.request_id === "string" ? detail.request_id : null;
  return new ServiceError(response.status, code, message, requestId, retryAfterOf(response));
}

/** A time of day instead of seconds is not read: the device's clock may be wrong. */
function retryAfterOf({ status, headers }: Response): number | null {
  if (status !== 429 && status !== 503) return null;
  const said = headers.get("Retry-After") ?? "";
  return /^\d{1,9}$/.test(said) ? Number(said) : null;
}
