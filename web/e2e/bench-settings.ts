import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Milliseconds for a packet and its answer; 0 is this machine by itself. */
export const roundTrips = (process.env["ROUND_TRIPS"] ?? "0").split(",").map(Number);

/** Builds to compare with each other, by their paths from the project's root; usually none. */
export const binaries = (process.env["BINARIES"] ?? "")
  .split(",")
  .filter((path) => path !== "")
  .map((path) => resolve(fileURLToPath(new URL("../..", import.meta.url)), path));

/** What the service of a build, by its number in `binaries`, is called in the summaries. */
export function nameOf(index: number): string {
  const binary = binaries[index];
  return binary === undefined ? "ours" : basename(binary);
}

/** What the page with LiveKit's own client is called in the summaries. */
export const bareName = "LiveKit's own client";

/** Whether everybody is muted: sound takes a third of what four browsers ask of the processors. */
export const isMuted = process.env["MUTED"] !== undefined;
