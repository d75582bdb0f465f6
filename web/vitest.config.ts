import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["conclave-source"] },
  ssr: { resolve: { conditions: ["conclave-source"] } },
  test: {
    // Every processor computes; the default leaves one idle, which is half of two.
    pool: "threads",
    maxWorkers: "100%",
    // For tests that hang. The longest ones compute all the time, on clocks of their own, and take
    // as long as the machine needs.
    testTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    include: [
      "client/src/**/*.test.ts",
      "webhook/src/**/*.test.ts",
      "ui/src/**/*.test.ts",
      "meet/*.test.ts",
      "meet/src/**/*.test.ts",
    ],
  },
});
