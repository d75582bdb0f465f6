import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { addresses, Namespace, type Undo, undoAll } from "./namespace";
import { freePort, ServiceUnderTest } from "./service";

interface Finding {
  readonly check: string;
  readonly verdict: "ok" | "warning" | "failed" | "skipped";
  readonly found: string;
  readonly advice?: string;
}

/** The ports of a service, by what comes through them. */
interface Ports {
  readonly page: number;
  readonly udp: number;
  readonly tcp: number;
}

/**
 * What `conclave doctor` finds about calls to a service, run in another network of which only some
 * packets get out.
 */
async function examinedFrom(
  context: TestContext,
  rules: (ports: Ports) => string[],
  judge: (calls: readonly Finding[], ports: Ports) => void,
): Promise<void> {
  const undo: Undo = [];
  try {
    const lack = await Namespace.lack();
    if (lack !== null) context.skip(`a network of its own needs ${lack}`);
    const network = await Namespace.make(4);
    undo.push(() => network.remove());
    const { ours } = addresses[4];
    const [page, tcp, turn] = [await freePort(), await freePort(), await freePort("udp")];
    const url = `http://${ours}:${page}`;
    const media = ["--media-tcp-port", String(tcp), "--turn-udp-port", String(turn)];
    const service = await ServiceUnderTest.start(async () => [
      ...["--listen", `:${page}`, "--public-url", url, "--media-node-ip", ours, ...media],
    ]);
    undo.push(() => service.stop());
    const elsewhere = await mkdtemp(join(tmpdir(), "conclave-doctor-"));
    undo.push(() => rm(elsewhere, { recursive: true }));
    const ports = { page, udp: service.ports.media, tcp };
    const allowed = rules(ports);
    if (allowed.length > 0) await network.onlyLetsOut(...allowed);
    const where = ["--public-url", url, "--data", elsewhere, "--media-udp-port", String(ports.udp)];
    const text = await network.output(
      service.binary,
      ...["doctor", "--json", "--key", service.key, ...where, ...media],
    );
    const findings = JSON.parse(text) as Finding[];
    judge(
      findings.filter(({ check }) => check.startsWith("call ")),
      ports,
    );
  } finally {
    await undoAll(undo);
  }
}

const verdicts = (calls: readonly Finding[]) =>
  calls.map(({ check, verdict }) => `${check}: ${verdict}`);

test("from a network that lets everything out, doctor finds that every call works", (context) =>
  examinedFrom(
    context,
    () => [],
    (calls) =>
      expect(verdicts(calls)).toEqual([
        ...["call over UDP: ok", "call over TCP: ok", "call through TURN over UDP: ok"],
        "call through TURN over TLS: skipped",
      ]),
  ));

test("from a network without UDP, doctor names the port to open, and calls work over TCP", (context) =>
  examinedFrom(
    context,
    () => ["meta l4proto tcp"],
    (calls, { udp }) => {
      expect(verdicts(calls)).toEqual([
        ...["call over UDP: failed", "call over TCP: ok", "call through TURN over UDP: warning"],
        "call through TURN over TLS: skipped",
      ]);
      expect(calls[0]?.advice).toContain(`Open UDP port ${udp} in every firewall`);
    },
  ));

test("from a network that lets out pages only, doctor names both ports", (context) =>
  examinedFrom(
    context,
    ({ page }) => [`tcp dport ${page}`],
    (calls, { udp, tcp }) => {
      expect(verdicts(calls)).toEqual([
        ...["call over UDP: failed", "call over TCP: warning"],
        ...["call through TURN over UDP: warning", "call through TURN over TLS: skipped"],
      ]);
      expect(calls[0]?.advice).toContain(`Open UDP port ${udp} in every firewall`);
      expect(calls[1]?.advice).toContain(`Open TCP port ${tcp} in every firewall`);
    },
  ));
