import { defineConfig } from "vitest/config";

/** Real browsers against the real binary: one file after the other, since each is several people. */
export default defineConfig({
  test: {
    include: ["e2e/**/*.e2e.ts"],
    fileParallelism: false,
    // For what hangs. Whatever a test waits for has a limit of its own, and three people wait for much.
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
