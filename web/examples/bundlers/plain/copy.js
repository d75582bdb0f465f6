import { cp } from "node:fs/promises";

const standalone = new URL(".", import.meta.resolve("@conclave/client/standalone/client.js"));
await cp(standalone, new URL("./conclave/", import.meta.url), { recursive: true });
