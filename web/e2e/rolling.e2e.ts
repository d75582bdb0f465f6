import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, type TestContext, test } from "vitest";
import { Balancer } from "./balancer";
import { type Undo, undoAll } from "./namespace";
import { closePeople, openBrowser, Person, part } from "./people";
import { ServiceUnderTest } from "./service";

const run = promisify(execFile);

/** The settings that nodes on a new PostgreSQL database and an empty Redis share. */
async function shared(context: TestContext, url: string, undo: Undo): Promise<readonly string[]> {
  const postgres = process.env["CONCLAVE_TEST_POSTGRES"];
  const redis = process.env["CONCLAVE_TEST_REDIS"];
  if (!postgres || !redis) context.skip("scripts/with-services starts PostgreSQL and Redis");
  const name = `browser_${randomBytes(4).toString("hex")}`;
  await run("psql", [postgres, "-qc", `CREATE DATABASE ${name}`]);
  undo.push(() => run("psql", [postgres, "-qc", `DROP DATABASE ${name} WITH (FORCE)`]));
  const database = new URL(postgres);
  database.pathname = `/${name}`;
  await run("redis-cli", ["-u", `${redis}/9`, "FLUSHDB"]);
  const directory = await mkdtemp(join(tmpdir(), "conclave-nodes-"));
  undo.push(() => rm(directory, { recursive: true }));
  return [
    ...["--public-url", url, "--data", directory, "--media-node-ip", "127.0.0.1"],
    ...["--database-url", database.href, "--redis-url", `${redis}/9`],
  ];
}

const undo: Undo = [];
afterEach(() => undoAll(undo));

test("a meeting goes on while its node is replaced by another one, twice", async (context) => {
  const balancer = await Balancer.open();
  undo.push(() => balancer.close());
  const settings = await shared(context, balancer.url, undo);
  const browser = await openBrowser();
  undo.push(
    () => browser.close(),
    () => closePeople(browser, context),
  );
  const begin = async () => {
    const node = await ServiceUnderTest.start(async () => settings);
    undo.push(() => node.stop());
    await balancer.add(node.ports.http);
    return node;
  };

  // Sound and pictures are on this node too, because there is no other one yet.
  let serving = await begin();
  const room = await serving.makeRoom();
  const ada = await Person.in(browser, "Ada", room.url);
  const bob = await Person.in(browser, "Bob", room.url);
  const people = [ada, bob];
  const meet = () => Promise.all([ada.sees("Bob"), bob.sees("Ada"), ada.hears(), bob.hears()]);
  await meet();
  const opened = () =>
    Promise.all(people.map(({ page }) => page.evaluate(() => performance.timeOrigin)));
  const before = await opened();

  for (let replaced = 0; replaced < 2; replaced += 1) {
    const next = await begin();
    await serving.stop();
    expect(balancer.ready).toBe(next.ports.http);
    serving = next;
    await meet();
  }
  expect(await opened()).toEqual(before);
  const happened = await serving.happened(room);
  expect(happened.filter((event) => event.startsWith("participant."))).toEqual([
    ...["participant.joined", "participant.joined"],
  ]);
  await part(...people);
});
