import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Milliseconds for a packet and its answer; 0 is this machine by itself. */
export const roundTrips = (process.env["ROUND_TRIPS"] ?? "0").split(",").map(Number);

/** Builds to compare with each other, by their paths from the project's root; usually none. */
export const binaries = (process.env["BINARIES"] ?? "")
  .split(",")
  .filter((path) => path !== "")
  .map((path) => resolve(fileURLToPath(new URL("../..", import.meta.url)), path));
