/**
 * Makes dist/standalone: the library and its two workers as one file each, for pages without a
 * bundler. An import map does not reach into a worker, so a worker has to be one file.
 */
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const files = {
  client: "./dist/index.js",
  "encryption-worker": "livekit-client/e2ee-worker",
  "group-worker": "./dist/strict/group-worker.js",
};

const cwd = fileURLToPath(new URL(".", import.meta.url));

// A build for each, because one build would share code between them in further files.
for (const [name, input] of Object.entries(files)) {
  await build({
    cwd,
    input,
    platform: "browser",
    output: { file: `dist/standalone/${name}.js`, format: "esm", minify: true },
  });
}
