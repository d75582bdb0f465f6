import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["conclave-source"] },
  ssr: { resolve: { conditions: ["conclave-source"] } },
  test: {
    // Every processor computes; the default leaves one idle, which is half of two.
    pool: "threads",
    maxWorkers: "100%",
    include: [
      "client/src/**/*.test.ts",
      "webhook/src/**/*.test.ts",
      "ui/src/**/*.test.ts",
      "meet/*.test.ts",
      "meet/src/**/*.test.ts",
    ],
  },
});
