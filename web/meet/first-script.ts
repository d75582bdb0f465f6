import { join } from "node:path";
import type { Plugin } from "vite";

/**
 * Makes a module of the page a script of its own that browsers load first, and run without waiting
 * for the rest of the page.
 */
export function firstScript(module: string): Plugin {
  let path = "";
  return {
    name: "conclave-first-script",
    apply: "build",
    configResolved(config) {
      path = join(config.root, module);
    },
    buildStart() {
      this.emitFile({ type: "chunk", id: path, name: "first" });
    },
    transformIndexHtml: {
      order: "post",
      handler(_, { bundle }) {
        const script = Object.values(bundle ?? {}).find(
          (output) => output.type === "chunk" && output.facadeModuleId === path,
        );
        if (!script) throw new Error(`${module} has no chunk of its own`);
        return [
          {
            tag: "script",
            attrs: { type: "module", crossorigin: true, src: `/${script.fileName}` },
            injectTo: "head-prepend",
          },
        ];
      },
    },
  };
}
