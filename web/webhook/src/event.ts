import { WebhookError } from "./error.js";
import type { WebhookEvent } from "./events.js";
import { type Body, type VerifyOptions, verify } from "./verify.js";

/** Verifies a request and reads its event. `header` is the value of Service-Signature. */
export async function readEvent(
  body: Body,
  header: string | null | undefined,
  options: VerifyOptions,
): Promise<WebhookEvent> {
  await verify(body, header, options);
  return parseEvent(body);
}

/**
 * Reads an event without verifying it: from a queue, or from GET /events. A newer service may send
 * types that this package does not have, so give a `switch` over `type` a `default`.
 */
export function parseEvent(body: Body): WebhookEvent {
  let value: unknown;
  try {
    const text =
      typeof body === "string" ? body : new TextDecoder("utf-8", { fatal: true }).decode(body);
    value = JSON.parse(text);
  } catch (cause) {
    throw new WebhookError("malformed_event", "The body is not JSON.", { cause });
  }
  if (!isEvent(value)) {
    throw new WebhookError(
      "malformed_event",
      "The body is not an event: it has no id, type, created_at or data.",
    );
  }
  return value;
}

/** Checks only the envelope. The data is valid, because the service has signed it. */
function isEvent(value: unknown): value is WebhookEvent {
  return (
    isObject(value) &&
    isText(value["id"]) &&
    isText(value["type"]) &&
    isText(value["created_at"]) &&
    isObject(value["data"])
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
