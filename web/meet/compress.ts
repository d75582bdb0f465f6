import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin, Rolldown } from "vite";

type Bundle = Rolldown.OutputBundle;

/** Files shorter than this fit into one packet anyway. */
const worthIt = 1000;
const compressible = /\.(css|html|js|json|svg|txt)$/;

/** What a part of the interface may weigh on the wire, in bytes. */
export interface Budget {
  readonly name: string;
  /**
   * Modules whose chunks, with all that these import, make up the part. What they import later is
   * not followed: a module that is always loaded later is named too.
   */
  readonly modules: readonly string[];
  /** Files that the part loads by other ways: fonts and workers. */
  readonly files: readonly RegExp[];
  /** The name of a part that is loaded already. */
  readonly after?: string;
  readonly most: number;
}

/**
 * Writes a Brotli and a gzip variant beside each file that gets smaller, which the service sends as
 * they are. Fails the build when a part of the interface is heavier than its budget.
 */
export function compress(budgets: readonly Budget[]): Plugin {
  let outDir = "";
  return {
    name: "conclave-compress",
    apply: "build",
    configResolved(config) {
      outDir = join(config.root, config.build.outDir);
    },
    writeBundle: {
      order: "post",
      handler(_, bundle) {
        const weights = new Map(Object.keys(bundle).map((file) => [file, write(outDir, file)]));
        const parts = new Map<string, ReadonlySet<string>>();
        for (const budget of budgets) {
          const already = parts.get(budget.after ?? "") ?? new Set<string>();
          const files = [...filesOf(bundle, budget)].filter((file) => !already.has(file));
          parts.set(budget.name, new Set([...already, ...files]));
          const weight = files.reduce((sum, file) => sum + (weights.get(file) ?? 0), 0);
          const said = `${budget.name} weighs ${weight} bytes on the wire, of at most ${budget.most}`;
          if (weight > budget.most) this.error(said);
          this.info(said);
        }
      },
    },
  };
}

/** Writes the variants of a file and returns what it weighs on the wire. */
function write(outDir: string, file: string): number {
  const path = join(outDir, file);
  const content = readFileSync(path);
  if (!compressible.test(file) || content.length < worthIt) return content.length;
  const brotli = brotliCompressSync(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
  writeFileSync(`${path}.br`, brotli);
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  return brotli.length;
}

/** The files of a part: the chunks of its modules, what they import, and their styles. */
function filesOf(bundle: Bundle, budget: Budget): Set<string> {
  const files = new Set<string>();
  const add = (name: string) => {
    if (files.has(name)) return;
    files.add(name);
    const output = bundle[name];
    if (output?.type !== "chunk") return;
    output.imports.forEach(add);
    for (const style of output.viteMetadata?.importedCss ?? []) files.add(style);
  };
  for (const module of budget.modules) {
    const chunk = Object.values(bundle).find(
      (output) => output.type === "chunk" && output.facadeModuleId?.endsWith(module),
    );
    if (!chunk) throw new Error(`the budget of ${budget.name} names ${module}, which has no chunk`);
    add(chunk.fileName);
  }
  for (const pattern of budget.files) {
    const found = Object.keys(bundle).filter((name) => pattern.test(name));
    if (found.length === 0)
      throw new Error(`the budget of ${budget.name} names ${pattern}, and no file is called that`);
    found.forEach(add);
  }
  return files;
}
