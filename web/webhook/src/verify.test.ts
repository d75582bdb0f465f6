import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Body, sign, verify } from "./verify.js";

/** The test vectors for every implementation of the verification. */
interface Vector {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly now: number;
  readonly header: string;
  readonly tolerance?: number;
  readonly body_base64: string;
  readonly want: string;
}

const file = new URL("../../../client/webhook/testdata/vectors.json", import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { vectors: readonly Vector[] };
const [first] = vectors;
if (first === undefined) throw new Error("there are no vectors");

/** "ok", or the code of the error. */
async function outcome(vector: Vector, body: Body = Buffer.from(vector.body_base64, "base64")) {
  const options = { secret: vector.secrets, now: () => vector.now * 1000 };
  try {
    await verify(
      body,
      vector.header,
      vector.tolerance === undefined ? options : { ...options, toleranceSeconds: vector.tolerance },
    );
    return "ok";
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
}

test("there are vectors", () => expect(vectors.length).toBeGreaterThan(40));

describe("vectors", () => {
  test.each(vectors)("$name", async (vector) => {
    expect(await outcome(vector)).toBe(vector.want);
  });
});

describe("many signatures in one header", () => {
  afterEach(() => vi.restoreAllMocks());

  test("cost one digest for each secret, and one matching signature is enough", async () => {
    const digests = vi.spyOn(globalThis.crypto.subtle, "sign");
    const checks = vi.spyOn(globalThis.crypto.subtle, "verify");
    const wrong = Array.from({ length: 500 }, (_, i) => `,v1=${String(i).padStart(64, "0")}`).join(
      "",
    );
    const secrets = ["whsec_another", ...first.secrets];
    const [t, v1] = first.header.split(",");
    for (const [header, want] of [
      [`${t}${wrong},${v1}${wrong}`, "ok"],
      [`${t}${wrong}`, "signature_mismatch"],
    ] as const) {
      digests.mockClear();
      expect(await outcome({ ...first, secrets, header })).toBe(want);
      expect(digests.mock.calls.length + checks.mock.calls.length).toBe(secrets.length);
    }
  });
});

test("sign makes the same signature as the service", async () => {
  const body = Buffer.from(first.body_base64, "base64");
  const [secret = ""] = first.secrets;
  expect(await sign(secret, body, new Date(first.now * 1000))).toBe(first.header);
});

test("the body may be text, an ArrayBuffer, or a view of a part of one", async () => {
  const bytes = Buffer.from(first.body_base64, "base64");
  const around = new Uint8Array(bytes.length + 8).fill(7);
  around.set(bytes, 4);
  const bodies = [
    bytes.toString("utf8"),
    new Uint8Array(bytes).buffer,
    around.subarray(4, 4 + bytes.length),
  ];
  for (const body of bodies) expect(await outcome(first, body)).toBe("ok");
});

test("a parsed body is a mistake of the caller", async () => {
  const parsed = JSON.parse(Buffer.from(first.body_base64, "base64").toString("utf8"));
  expect(await outcome(first, parsed)).toBeInstanceOf(TypeError);
});

test("a tolerance that is not a number is a mistake of the caller, and accepts nothing", async () => {
  const missing = Number(undefined); // such as of an environment variable that is not set
  expect(await outcome({ ...first, tolerance: missing })).toBeInstanceOf(TypeError);
  const old = { ...first, now: first.now + 86_400, tolerance: missing };
  expect(await outcome(old)).toBeInstanceOf(TypeError);
});

test("the defaults are the current time and five minutes; a missing secret is an error", async () => {
  const secret = first.secrets[0];
  const body = "{}";
  const minutesAgo = (n: number) => sign(secret ?? "", body, new Date(Date.now() - n * 60_000));
  await expect(verify(body, await minutesAgo(4), { secret })).resolves.toBeUndefined();
  await expect(verify(body, await minutesAgo(6), { secret })).rejects.toThrow(/seconds ago/);
  const header = await minutesAgo(0);
  await expect(verify(body, header, { secret: undefined })).rejects.toMatchObject({
    code: "no_secret",
  });
});

describe("if WebCrypto is not a global, as in Node 18", () => {
  afterEach(() => vi.unstubAllGlobals());

  test("it is found anyway", async () => {
    vi.stubGlobal("crypto", undefined);
    expect(globalThis.crypto).toBeUndefined();
    expect(await outcome(first)).toBe("ok");
  });
});
