// Runs the browser tests: those that mostly wait for time to pass beside all others. Ends with
// status 1 if one of them failed. Arguments, such as names of files, run all of them in one part.
import { spawn } from "node:child_process";

const names = process.argv.slice(2);

/** Runs a part, and returns its status. What it prints comes at once, or when it is over. */
function run(part, isShown) {
  const args = ["vitest", "run", "--config", "e2e/vitest.config.ts", ...names];
  const env = part === null ? process.env : { ...process.env, E2E_PART: part };
  const child = spawn("npx", args, {
    env,
    stdio: ["ignore", isShown ? "inherit" : "pipe", "pipe"],
  });
  const printed = [];
  child.stdout?.on("data", (text) => printed.push(text));
  child.stderr.on("data", (text) => (isShown ? process.stderr.write(text) : printed.push(text)));
  return new Promise((resolve) => {
    child.on("close", (status) => resolve({ status, text: Buffer.concat(printed) }));
  });
}

if (names.length > 0) {
  process.exitCode = (await run(null, true)).status ?? 1;
} else {
  const [others, patient] = await Promise.all([run("others", true), run("patient", false)]);
  process.stdout.write(patient.text);
  process.exitCode = others.status === 0 && patient.status === 0 ? 0 : 1;
}
