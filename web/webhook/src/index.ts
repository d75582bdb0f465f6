export { WebhookError, type WebhookErrorCode } from "./error.js";
export { parseEvent, readEvent } from "./event.js";
export * from "./events.js";
export { fetchHandler, type HandlerOptions, maxBody, nodeHandler } from "./handler.js";
export {
  type Body,
  defaultToleranceSeconds,
  sign,
  signatureHeader,
  type VerifyOptions,
  verify,
} from "./verify.js";
