import { expect, test } from "vitest";
import { pathOf } from "./media-path.js";

type Said = Readonly<Record<string, string | boolean>>;

/** A report with a pair whose local candidate says this. */
function report(candidate: Said, more: Said[] = []) {
  const all = [
    { id: "pair", type: "candidate-pair", localCandidateId: "own" },
    { id: "other", type: "candidate-pair", localCandidateId: "unused" },
    { id: "unused", type: "local-candidate", candidateType: "host", protocol: "udp" },
    { id: "own", type: "local-candidate", ...candidate },
    ...more,
  ];
  return all.map(
    (stats) => [String(stats["id"]), { ...stats, id: "", type: String(stats["type"]) }] as const,
  );
}

const chosen = [{ id: "transport", type: "transport", selectedCandidatePairId: "pair" }];

test.each([
  [{ candidateType: "host", protocol: "udp" }, "udp"],
  [{ candidateType: "prflx", protocol: "udp" }, "udp"],
  [{ candidateType: "host", protocol: "tcp" }, "tcp"],
  [{ candidateType: "relay", protocol: "udp", relayProtocol: "tls" }, "relay_tls"],
  [{ candidateType: "relay", protocol: "udp", relayProtocol: "tcp" }, "relay_tcp"],
  [{ candidateType: "relay", protocol: "udp", relayProtocol: "udp" }, "relay_udp"],
])("the way of a connection whose own candidate is %o", (candidate, want) => {
  expect(pathOf(report(candidate, chosen))).toBe(want);
});

test("Firefox marks the pair itself", () => {
  const tcp = report({ candidateType: "host", protocol: "tcp" });
  expect(pathOf(tcp)).toBeNull();
  const marked = tcp.map(
    ([id, stats]) => [id, id === "pair" ? { ...stats, selected: true } : stats] as const,
  );
  expect(pathOf(marked)).toBe("tcp");
});

test("without a connection there is no way", () => {
  expect(pathOf([])).toBeNull();
  expect(pathOf([["transport", { id: "transport", type: "transport" }]])).toBeNull();
});
