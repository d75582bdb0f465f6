import { loadavg } from "node:os";
import { afterEach, expect, type TestContext, test } from "vitest";
import { percentile } from "./arrival-report";
import { Balancer } from "./balancer";
import { type Undo, undoAll } from "./namespace";
import { sharedSettings } from "./nodes";
import { openBrowser, Person } from "./people";
import { longestGap, watchPictures } from "./picture-gaps";
import { ServiceUnderTest } from "./service";

const rounds = Number(process.env["ROUNDS"] ?? 10);
/** Milliseconds in which everybody sees the other, before the next node goes. */
const rest = 3000;
/** A person who sees no new picture for longer than this has lost it, in milliseconds. */
const lost = 500;

const undo: Undo = [];
afterEach(() => undoAll(undo.splice(0)));

/** Nodes behind a balancer, and two people who meet there. */
class Cluster {
  readonly nodes: readonly ServiceUnderTest[];
  readonly balancer: Balancer;
  readonly #people: readonly [Person, Person];
  readonly #gaps: number[] = [];

  private constructor(
    nodes: readonly ServiceUnderTest[],
    balancer: Balancer,
    people: [Person, Person],
  ) {
    this.nodes = nodes;
    this.balancer = balancer;
    this.#people = people;
  }

  static async of(context: TestContext, size: number, spreads: boolean): Promise<Cluster> {
    const balancer = await Balancer.open({ spreads });
    undo.push(() => balancer.close());
    const settings = await sharedSettings(context, balancer.url, undo);
    const nodes: ServiceUnderTest[] = [];
    const begin = async () => {
      const name = ["--node-name", `node-${nodes.length + 1}`];
      const node = await ServiceUnderTest.start(async () => [...settings, ...name]);
      undo.push(() => node.stop());
      nodes.push(node);
      await balancer.add(node.ports.http);
      return node;
    };
    // Sound and pictures are on the first node, because there is no other one yet.
    const room = await (await begin()).makeRoom();
    const browser = await openBrowser();
    undo.push(() => browser.close());
    const ada = await Person.in(browser, "Ada", room.url);
    const bob = await Person.in(browser, "Bob", room.url);
    while (nodes.length < size) await begin();
    const cluster = new Cluster(nodes, balancer, [ada, bob]);
    await cluster.meet();
    await watchPictures(ada, "Bob");
    await watchPictures(bob, "Ada");
    return cluster;
  }

  /** Waits until both see each other. */
  async meet(): Promise<void> {
    const [ada, bob] = this.#people;
    await ada.page.waitForTimeout(rest);
    await Promise.all([ada.sees("Bob"), bob.sees("Ada")]);
  }

  /** Disturbs the meeting, and notes for how long each person did not see the other. */
  async disturb(what: string, disturbance: () => Promise<unknown>): Promise<void> {
    await Promise.all(this.#people.map(longestGap)); // what was before does not count
    await disturbance();
    await this.meet();
    const gaps = await Promise.all(this.#people.map(longestGap));
    this.#gaps.push(...gaps);
    process.stdout.write(
      `  ${what}: ${gaps.map((gap) => gap.toFixed(0)).join(" and ")} ms, ` +
        `load average ${loadavg()[0]?.toFixed(1)}\n`,
    );
  }

  report(what: string): void {
    const out = this.#gaps.filter((gap) => gap > lost);
    const [p50, p95] = [0.5, 0.95].map((share) => percentile(out, share).toFixed(0));
    process.stdout.write(
      `${what}, ${rounds} rounds: ${out.length} of ${this.#gaps.length} times a person lost the ` +
        `other's picture, for ${p50} ms (p50), ${p95} ms (p95), ` +
        `${Math.max(...out).toFixed(0)} ms at most\n`,
    );
    expect(out.length).toBeGreaterThan(0);
  }
}

test(
  "without the other's picture while three nodes are restarted one after the other",
  async (context) => {
    const cluster = await Cluster.of(context, 3, true);
    for (let round = 0; round < rounds; round++) {
      for (const [at, node] of cluster.nodes.entries()) {
        await cluster.disturb(`round ${round + 1}, node ${at + 1}`, async () => {
          await node.restart();
          await cluster.balancer.add(node.ports.http);
        });
      }
    }
    cluster.report("rolling restart of three nodes");
  },
  (rounds + 1) * 180_000,
);

test(
  "without the other's picture while the node of both people stands still",
  async (context) => {
    const cluster = await Cluster.of(context, 2, false);
    for (let round = 0; round < rounds; round++) {
      const node = cluster.nodes.find(({ ports }) => ports.http === cluster.balancer.ready);
      if (!node) throw new Error("no node is ready");
      await cluster.disturb(`round ${round + 1}`, async () => {
        node.freeze();
        await cluster.meet();
      });
      await node.kill();
      await node.up();
      await cluster.balancer.add(node.ports.http);
    }
    cluster.report("a node that stands still");
  },
  (rounds + 1) * 180_000,
);
