import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["conclave-source"] },
  ssr: { resolve: { conditions: ["conclave-source"] } },
  test: {
    include: [
      "client/src/**/*.test.ts",
      "webhook/src/**/*.test.ts",
      "ui/src/**/*.test.ts",
      "meet/src/**/*.test.ts",
    ],
  },
});
