/**
 * What a change of a group costs: `npx vitest bench --run client/src/strict/group.bench.ts` in web/.
 * Sizes of the messages are printed with the names.
 */
import { bench, describe } from "vitest";
import { newStatementKey, signStatement } from "../testing/played-delivery.js";
import { StatementMembership } from "./membership.js";
import { MlsGroup } from "./mls-group.js";
import {
  newKeyPackage,
  newSignatureKeys,
  type OfferedKeyPackage,
  readKeyPackage,
} from "./mls-suite.js";
import { StatementVerifier } from "./statement.js";

const service = await newStatementKey();
const scope = { room: "room", meeting: "meeting", place: null };
const id = new Uint8Array(16).fill(1);

/** Each device checks for itself. */
const newRules = () => ({
  membership: new StatementMembership(StatementVerifier.of(service.publicKey), scope, () => 0),
  linkSecret: null,
});

async function device(identity: string) {
  const keys = await newSignatureKeys();
  return newKeyPackage(await signStatement(service, keys.publicKey, { identity }), keys);
}

async function offer(own: Awaited<ReturnType<typeof device>>, rules = newRules()) {
  return (await readKeyPackage(own.bytes, rules.membership)) as OfferedKeyPackage;
}

const options = { iterations: 5, time: 0, warmupIterations: 1, warmupTime: 0 };
const kilobytes = (bytes: Uint8Array | null) =>
  `${((bytes?.byteLength ?? 0) / 1000).toFixed(1)} kB`;

for (const size of [4, 25, 100]) {
  const rules = newRules();
  const first = await MlsGroup.create(id, await device("first"), rules);
  const owns = await Promise.all(
    Array.from({ length: size - 1 }, (_, index) => device(`d${index}`)),
  );
  const offers = await Promise.all(owns.map((own) => offer(own, rules)));
  const { welcome } = await first.commit(offers, []);
  first.apply();
  const [own] = owns;
  if (!own || !welcome) throw new Error("nobody joined");
  // Joining erases private keys, so each join gets a copy of the first key package.
  const copy = () => ({ ...own, privateKeys: structuredClone(own.privateKeys) });
  const joined = () => MlsGroup.join(id, welcome, copy(), newRules(), null);
  const second = await joined();
  const late = await device("late");
  const lateOffer = await offer(late, rules);
  const adding = await first.commit([lateOffer], []);
  const removing = await first.commit([], [2]);

  describe(`${size} members`, () => {
    bench(
      `add (${kilobytes(adding.commit)}, welcome ${kilobytes(adding.welcome)})`,
      async () => {
        await first.commit([lateOffer], []);
      },
      options,
    );
    bench(
      `remove (${kilobytes(removing.commit)})`,
      async () => {
        await first.commit([], [2]);
      },
      options,
    );
    const waiting: MlsGroup[] = [];
    const prepare = {
      ...options,
      setup: async () => {
        while (waiting.length < 8) waiting.push(await joined());
      },
    };
    bench(
      "process an add",
      async () => {
        await waiting.pop()?.process(adding.commit, null);
      },
      prepare,
    );
    bench(
      "process a removal",
      async () => {
        await waiting.pop()?.process(removing.commit, null);
      },
      prepare,
    );
    bench(
      "join, all statements unknown",
      async () => {
        await joined();
      },
      options,
    );
    bench(
      "the keys of all senders",
      async () => {
        await Promise.all(
          second.leaves.flatMap(({ credential }) =>
            ["media", "data"].map((label) =>
              second.exportSecret(label, new TextEncoder().encode(credential), 32),
            ),
          ),
        );
      },
      options,
    );
  });
}
