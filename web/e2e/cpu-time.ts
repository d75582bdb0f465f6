import { readdir, readFile } from "node:fs/promises";

/** Clock ticks a second in /proc on Linux. */
const ticks = 100;

interface Process {
  readonly id: number;
  readonly parent: number;
  /** The processor time of the process and of its ended children, in seconds. */
  readonly seconds: number;
}

/** The children of this process, without their own children. */
export async function ownProcesses(): Promise<ReadonlySet<number>> {
  const all = await processes();
  return new Set(all.filter(({ parent }) => parent === process.pid).map(({ id }) => id));
}

/** The processor time of a process and all that it has started, in seconds. */
export async function cpuSeconds(root: number): Promise<number> {
  const all = await processes();
  const timeOf = (id: number): number =>
    all
      .filter((one) => one.id === id || one.parent === id)
      .reduce((sum, one) => sum + (one.id === id ? one.seconds : timeOf(one.id)), 0);
  return timeOf(root);
}

async function processes(): Promise<readonly Process[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      const stat = await readFile(`/proc/${id}/stat`, "utf8").catch(() => null);
      if (stat === null) return []; // it has ended
      // The name, in brackets, may contain spaces.
      const fields = stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ")
        .map(Number);
      const used = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
      return [{ id: Number(id), parent: fields[1] ?? 0, seconds: used / ticks }];
    }),
  );
  return found.flat();
}
