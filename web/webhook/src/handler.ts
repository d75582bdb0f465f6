import type { IncomingMessage, ServerResponse } from "node:http";
import { WebhookError, type WebhookErrorCode } from "./error.js";
import { readEvent } from "./event.js";
import type { WebhookEvent } from "./events.js";
import { type Body, signatureHeader, type VerifyOptions } from "./verify.js";

/** The most that a handler reads, in bytes. An event is smaller than 20 KB. */
export const maxBody = 256 * 1024;

export interface HandlerOptions extends VerifyOptions {
  /**
   * Called with every verified event. Calls may overlap, and some events come twice. The service
   * waits ten seconds for it. If it throws or rejects, the service sends the event again.
   */
  readonly receive: (event: WebhookEvent) => void | Promise<void>;
  /** Called with the reason when a request is refused, to log it. The sender only gets a status. */
  readonly refused?: (error: unknown) => void;
}

/**
 * A handler for `node:http` and frameworks built on it. The status tells the service whether to
 * send the event again: 204: delivered. 400, 401, 405, 413: not an event of this endpoint, do not
 * send it again. 500: the receiver failed or has no secret, send it again.
 *
 * With Express, put it before `express.json()`, or after `express.raw({ type: "application/json"
 * })`.
 */
export function nodeHandler(
  options: HandlerOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const header = request.headers[signatureHeader.toLowerCase()];
    const status = await answer(options, request.method, String(header ?? ""), () =>
      rawBody(request),
    );
    response.statusCode = status;
    if (status === 405) response.setHeader("Allow", "POST");
    // The rest of a body that was not read must not be taken for the next request.
    if (!request.readableEnded) response.setHeader("Connection", "close");
    response.end();
  };
}

/** The same for frameworks that answer a `Request` with a `Response`. */
export function fetchHandler(options: HandlerOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const header = request.headers.get(signatureHeader);
    const status = await answer(options, request.method, header, () =>
      request.body === null ? Promise.resolve("") : collect(request.body),
    );
    return new Response(null, { status, headers: status === 405 ? { Allow: "POST" } : {} });
  };
}

async function answer(
  options: HandlerOptions,
  method: string | undefined,
  header: string | null,
  read: () => Promise<Body>,
): Promise<number> {
  let event: WebhookEvent;
  try {
    if (method !== "POST") {
      throw new WebhookError("method_not_allowed", `${method} is not POST.`);
    }
    event = await readEvent(await read(), header, options);
  } catch (error) {
    options.refused?.(error);
    return error instanceof WebhookError ? statuses[error.code] : 500;
  }
  try {
    await options.receive(event);
    return 204;
  } catch (error) {
    options.refused?.(error);
    return 500;
  }
}

const statuses: Readonly<Record<WebhookErrorCode, number>> = {
  no_secret: 500, // the receiver's mistake: send the event again once it is fixed
  no_signature: 401,
  malformed_signature: 401,
  signature_mismatch: 401,
  too_old: 401,
  malformed_event: 400,
  body_too_large: 413,
  method_not_allowed: 405,
};

/** The body of a request, even if a framework has read its bytes already. */
async function rawBody(request: IncomingMessage & { body?: unknown }): Promise<Body> {
  if (request.body !== undefined) return request.body as Body; // verify refuses a parsed body
  // Stopping early must leave the connection open for the answer.
  return collect(request.iterator({ destroyOnReturn: false }));
}

async function collect(chunks: AsyncIterable<unknown>): Promise<Body> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const part = chunk as Uint8Array;
    size += part.byteLength;
    if (size > maxBody) {
      throw new WebhookError("body_too_large", `The body has more than ${maxBody} bytes.`);
    }
    parts.push(part);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
