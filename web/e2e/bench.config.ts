import { defineConfig } from "vitest/config";

/** Measurements, not tests: `npm run bench`, while the machine does nothing else. */
export default defineConfig({
  test: {
    include: ["e2e/**/*.bench-e2e.ts"],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
