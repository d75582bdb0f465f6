import type { PlayProblem } from "@conclave/client/playback/player";
import type { Phrase } from "@conclave/ui/when";
import type { NotOpened } from "./open-recording";

/** The error codes that have a text of their own. */
const known: ReadonlySet<string> = new Set([
  "damaged",
  "limit_reached",
  "network",
  "not_found",
  "rate_limited",
  "recording_not_managed",
  "recording_not_ready",
  "revoked",
  "shut_out",
  "sign_in_required",
  "too_large",
  "undecodable",
  "unsupported",
]);

/** The text for a problem with a recording. */
export function problemPhrase(code: string, values: Readonly<Record<string, string>> = {}): Phrase {
  return { key: `recordings.problem.${known.has(code) ? code : "other"}`, values };
}

/** People count parts from 1, the API counts from 0. */
export function damagedPhrase(part: number): Phrase {
  return problemPhrase("damaged", { part: String(part + 1) });
}

export function openingProblem(opening: NotOpened): Phrase {
  switch (opening.kind) {
    case "shut-out":
      return problemPhrase("shut_out");
    case "revoked":
      return problemPhrase("revoked");
    case "refused":
      return problemPhrase(opening.code);
  }
}

export function playPhrase(problem: PlayProblem): Phrase {
  switch (problem.kind) {
    case "damaged":
      return damagedPhrase(problem.part);
    case "gone":
      return problemPhrase("not_found");
    case "unreachable":
      return problemPhrase("network");
    case "unsupported":
    case "undecodable":
      return problemPhrase(problem.kind);
  }
}
