import { afterAll, beforeAll, expect, test } from "vitest";
import { ServiceUnderTest } from "./service";
import { StrictCrowd } from "./strict-crowd";

let service: ServiceUnderTest;

const rounds = Number(process.env["ROUNDS"] ?? 7);

beforeAll(async () => {
  service = await ServiceUnderTest.start();
});

afterAll(async () => {
  await service?.stop();
});

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

for (const size of [4, 25, 100]) {
  test(`${size} devices: from a removal until the last sender uses the new keys`, async () => {
    const room = await service.makeRoom({ encryption: "strict" });
    const crowd = await StrictCrowd.in(service, room, size + rounds - 1);
    const answered: number[] = [];
    const switched: number[] = [];
    for (let left = size + rounds - 2; left >= size - 1; left -= 1) {
      const removed = crowd.idle.pop();
      const began = performance.now();
      await service.call("DELETE", `/rooms/${room.id}/participants/${removed?.identity}`);
      answered.push(performance.now() - began);
      await crowd.agree(left);
      switched.push(crowd.switched - began);
    }
    await crowd.leave();
    const times = switched.map((time) => time.toFixed(0)).join(" ");
    process.stdout.write(
      `${size} devices, a removal, ${rounds} rounds: the service answers after ` +
        `${median(answered).toFixed(0)} ms, the last sender uses the new keys after ` +
        `${median(switched).toFixed(0)} ms (median; ${times})\n`,
    );
    expect(switched.every(Number.isFinite)).toBe(true);
  });
}
