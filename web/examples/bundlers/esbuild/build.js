import { fileURLToPath } from "node:url";
import { build } from "esbuild";

await build({
  absWorkingDir: fileURLToPath(new URL(".", import.meta.url)),
  // esbuild does not follow `new URL(...)`: each worker is an entry of its own.
  entryPoints: {
    main: "./main.js",
    "encryption-worker": "livekit-client/e2ee-worker",
    "group-worker": "@conclave/client/strict/worker",
  },
  bundle: true,
  format: "esm",
  minify: true,
  outdir: "dist",
});
