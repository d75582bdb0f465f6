import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestContext } from "vitest";
import type { Undo } from "./namespace";

const run = promisify(execFile);

/** The settings that nodes on a new PostgreSQL database and an empty Redis share. */
export async function sharedSettings(
  context: TestContext,
  url: string,
  undo: Undo,
): Promise<readonly string[]> {
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
