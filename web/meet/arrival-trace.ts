import type { Plugin } from "vite";

const install = "@conclave/client/arrival/install";
const inWorker = "@conclave/client/arrival/in-worker";
const encryptionWorker = /livekit-client\.e2ee\.worker\.m?js\?.*worker_file/;

/** Puts the trace of arrivals into pages that a developer's server serves. */
function whileDeveloping(): Plugin {
  return {
    name: "conclave-arrival-trace",
    apply: "serve",
    transformIndexHtml() {
      const attrs = { type: "module", src: `/@id/${install}` };
      return [{ tag: "script", attrs, injectTo: "head-prepend" }];
    },
    transform(code, id) {
      return encryptionWorker.test(id) ? `import ${JSON.stringify(inWorker)};\n${code}` : null;
    },
  };
}

/** Fails the build when a module of the trace would get into the interface that people load. */
export function neverInReleases(): Plugin {
  const module = /[\\/]client[\\/](src|dist)[\\/]arrival[\\/]/;
  return {
    name: "conclave-no-arrival-trace",
    apply: "build",
    moduleParsed({ id }) {
      if (module.test(id)) this.error(`${id} is for benchmarks and development only`);
    },
  };
}

export function arrivalTrace(): Plugin[] {
  return [whileDeveloping(), neverInReleases()];
}
