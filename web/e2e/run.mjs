// Runs the browser tests in three parts (vitest.config.ts): the tests that wait beside those that
// need the processors most, and the others beside both on a machine that has processor time to
// spare, otherwise after them. A file with a failed test runs once more when the machine has nothing
// else to do; what fails again has failed. Arguments, such as names of files, run all of them in one
// part, and only once.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

/** More files than these fail because something is broken, not because the machine was busy. */
const mostAgain = 5;

/** For how long the third part waits, while the machine's idle time is measured. */
const lookMs = 40_000;

/**
 * The share of idle time with which the third part ends sooner beside the first than after it. With
 * 10 % to spare, a file took 410 s instead of 148 beside the other part, and tests missed their limits.
 */
const spareShare = 0.2;

const names = process.argv.slice(2);
const reports = mkdtempSync(join(tmpdir(), "conclave-e2e-"));

/** The tests that failed, by file, and why; null if the run broke off before it could say. */
function failuresIn(report) {
  let results;
  try {
    results = JSON.parse(readFileSync(report, "utf8")).testResults;
  } catch {
    return null;
  }
  const failed = results.filter((file) => file.status !== "passed");
  return failed.map((file) => ({
    file: relative(process.cwd(), file.name),
    tests: file.assertionResults
      .filter((test) => test.status === "failed")
      .map((test) => `${test.title}${reason(test.failureMessages[0] ?? "")}`),
  }));
}

/** The first line of an error, and the test's own line where it came from. */
function reason(message) {
  const plain = stripVTControlCharacters(message);
  const [first = "", ...stack] = plain.split("\n");
  const line = /e2e\/[\w.-]+\.e2e\.ts:\d+/.exec(stack.join("\n"))?.[0];
  return `\n    ${first.slice(0, 200)}${line ? ` (${line})` : ""}`;
}

/** Runs a part, or some files. What it prints comes at once, or when it is over. */
function run({ label, part, files = [], isShown }) {
  const report = join(reports, `${label}.json`);
  const args = ["vitest", "run", "--config", "e2e/vitest.config.ts", ...files];
  args.push("--reporter=default", "--reporter=json", `--outputFile.json=${report}`);
  const env = part ? { ...process.env, E2E_PART: part } : process.env;
  const child = spawn("npx", args, {
    env,
    stdio: ["ignore", isShown ? "inherit" : "pipe", "pipe"],
  });
  const printed = [];
  child.stdout?.on("data", (text) => printed.push(text));
  child.stderr.on("data", (text) => (isShown ? process.stderr.write(text) : printed.push(text)));
  return new Promise((resolve) => {
    child.on("close", (status) => {
      resolve({ status, text: Buffer.concat(printed), failures: failuresIn(report) });
    });
  });
}

function list(failures) {
  return failures.flatMap(({ file, tests }) =>
    (tests.length > 0 ? tests : ["(the file itself)"]).map((test) => `  ${file}: ${test}\n`),
  );
}

/** How long the processors have been idle, and how long in all, in milliseconds. */
function processorTimes() {
  const all = cpus().map(({ times }) => times);
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  return {
    idle: sum(all.map(({ idle }) => idle)),
    whole: sum(all.map((times) => sum(Object.values(times)))),
  };
}

/** Whether the machine has processor time to spare from now on, for a while. */
async function hasSpareTime() {
  const before = processorTimes();
  await pause(lookMs);
  const after = processorTimes();
  const share = (after.idle - before.idle) / (after.whole - before.whole);
  process.stdout.write(`The processors are idle for ${(100 * share).toFixed(0)} % of the time.\n`);
  return share >= spareShare;
}

/** What the parts printed and how they ended; the heavy one prints while it runs. */
async function runParts() {
  const heavy = run({ label: "heavy", part: "heavy", isShown: true });
  const quiet = run({ label: "quiet", part: "quiet", isShown: false });
  if (!(await hasSpareTime())) await Promise.all([heavy, quiet]);
  const light = run({ label: "light", part: "light", isShown: false });
  const parts = await Promise.all([heavy, quiet, light]);
  for (const { text } of parts) process.stdout.write(text);
  return parts;
}

async function runAll() {
  const parts = await runParts();
  if (parts.every(({ status }) => status === 0)) return 0;
  if (parts.some(({ failures }) => failures === null)) return 1;

  const failures = parts.flatMap((part) => part.failures);
  const first = `Failed beside other tests:\n${list(failures).join("")}`;
  process.stdout.write(`\n${first}`);
  if (failures.length === 0 || failures.length > mostAgain) return 1;

  const files = failures.map(({ file }) => file);
  const again = await run({ label: "again", files, isShown: true });
  const second =
    again.status === 0
      ? "All of them passed alone.\n"
      : `Failed again, alone:\n${list(again.failures ?? []).join("")}`;
  process.stdout.write(`\n${first}${second}`);
  return again.status === 0 ? 0 : 1;
}

try {
  process.exitCode =
    names.length > 0
      ? ((await run({ label: "named", files: names, isShown: true })).status ?? 1)
      : await runAll();
} finally {
  rmSync(reports, { recursive: true, force: true });
}
