import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fromBase64Url, toBase64Url } from "../client/src/recording/base64url";
import type { NewCommit, StatementAnswer } from "../client/src/strict/group-protocol";
import { MlsGroup } from "../client/src/strict/mls-group";
import { type OwnKeyPackage, Refusal } from "../client/src/strict/mls-suite";
import type { GroupPart, Seat } from "../client/src/wire";
import { believesAll, Forger, type Outsider } from "./forger";
import { openedWith, passedOn } from "./frame-keys";
import type { Lies, Said } from "./lies";
import { NodeDevice } from "./node-device";
import { openBrowser, Person, part, soon } from "./people";
import { SecretWatch } from "./secret-watch";
import { type Room, ServiceUnderTest } from "./service";
import type { Wiretap } from "./wiretap";

let browser: Browser;
let service: ServiceUnderTest;
let watch: SecretWatch;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), ServiceUnderTest.start()]);
  watch = new SecretWatch(service);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** Two people who see each other. Both are told the same lies. */
async function meeting(room: Room, fragment: string, lies: Lies = {}) {
  const options = { withFrames: true, lies };
  const ofAda = await watch.line(options);
  const ofBob = await watch.line(options);
  const ada = await Person.in(browser, "Ada", room.url + fragment, { line: ofAda });
  const bob = await Person.in(browser, "Bob", room.url + fragment, { line: ofBob });
  await Promise.all([ada.sees("Bob"), bob.sees("Ada")]);
  return { ada, bob, ofAda, ofBob };
}

/** The names in the list "Devices here", once it has `count` entries. */
async function devicesOf(person: Person, count: number): Promise<readonly string[]> {
  const info = await person.openPanel("Info");
  const list = info.getByRole("list", { name: "Devices here" }).getByRole("listitem");
  await expect.poll(() => list.count(), soon).toBe(count);
  return list.allInnerTexts();
}

async function codeOf(person: Person): Promise<string> {
  const info = await person.openPanel("Info");
  const code = info.getByRole("region", { name: "Compare this code" });
  const digits = await code.getByText(/^\d \d \d \d \d, $/).allTextContents();
  return digits.join("").replace(/\D/g, "");
}

/** The commits that people sent. */
function commitsOf(...taps: Wiretap[]): readonly NewCommit[] {
  return taps.flatMap((tap) => tap.bodies<NewCommit>("POST /meet/v1/group/commits, request"));
}

/**
 * Why the owner of a key package cannot use a welcome, even if it believes every statement; "" when
 * it can.
 */
async function refusal(groupId: string, welcome: string, own: OwnKeyPackage): Promise<string> {
  const rules = { membership: believesAll, linkSecret: null };
  const [id, bytes] = [fromBase64Url(groupId), fromBase64Url(welcome)];
  const refused = await MlsGroup.join(id, bytes, own, rules, null).catch((error: unknown) => error);
  return refused instanceof Refusal ? refused.message : "";
}

test("devices that the service slips in without a statement are refused, and get no keys", async () => {
  const room = await service.makeRoom({ encryption: "strict" });
  const forger = await Forger.at(service);
  let slippedIn: readonly Outsider[] = [];
  let told = 0;
  const lies: Lies = {
    event: (name, truth) => {
      if (name !== "group" || slippedIn.length === 0) return undefined;
      told += 1;
      const forged = slippedIn.map(({ identity, own }) => ({
        identity,
        key_package: toBase64Url(own.bytes),
      }));
      return { ...truth, waiting: [...(truth as unknown as GroupPart).waiting, ...forged] };
    },
  };
  const { ada, bob, ofAda, ofBob } = await meeting(room, "", lies);
  const [bobs] = ofBob.bodies<StatementAnswer>("POST /meet/v1/group/statement, answer");
  const [seat] = ofBob.bodies<Seat>("POST /meet/v1/join, answer");
  slippedIn = await Promise.all([
    forger.withOwnSignature(room, "guest_eve.unsigned"),
    forger.withStatementOf(seat?.identity ?? "", bobs?.statement ?? ""),
    forger.withStatementForAnotherRoom(),
  ]);
  const before = commitsOf(ofAda, ofBob).length;

  const began = Date.now();
  const ofCleo = await watch.line({ lies });
  const cleo = await Person.in(browser, "Cleo", room.url, { line: ofCleo });
  await Promise.all([cleo.sees("Ada"), cleo.sees("Bob"), ada.sees("Cleo"), bob.sees("Cleo")]);
  expect(told).toBeGreaterThanOrEqual(3);
  for (const one of [ada, bob, cleo]) await devicesOf(one, 3);
  expect(new Set([await codeOf(ada), await codeOf(bob), await codeOf(cleo)]).size).toBe(1);

  const commits = commitsOf(ofAda, ofBob, ofCleo).slice(before);
  const names = slippedIn.map(({ identity }) => identity);
  const added = commits.flatMap(({ adds }) => adds.map(({ identity }) => identity));
  expect(added).not.toEqual([]);
  expect(added.filter((identity) => names.includes(identity))).toEqual([]);
  const welcomes = commits.filter(({ welcome }) => welcome !== null);
  for (const { own } of slippedIn) {
    for (const { group_id, welcome } of welcomes) {
      const why = await refusal(group_id, welcome ?? "", own);
      expect(why).toBe("The welcome is for another key package.");
    }
  }
  await expect
    .poll(() => passedOn(ofAda, ofBob, began, Date.now()).length, soon)
    .toBeGreaterThan(50);
  await Promise.all([ada.sees("Bob"), bob.sees("Ada")]);
  await watch.look();
  await part(ada, bob, cleo);
});

test("a commit that no member made is refused, and the meeting goes on", async () => {
  const room = await service.makeRoom({ encryption: "strict" });
  const forger = await Forger.at(service);
  let isLying = false;
  let told = 0;
  const lies: Lies = {
    event: (name, truth) => {
      if (name !== "group" || !isLying) return undefined;
      const { epoch, seq } = truth as unknown as GroupPart;
      return { ...truth, epoch: epoch + 1, seq: seq + 1 };
    },
    answer: (path, { data, ...rest }) => {
      if (path !== "group/messages" || !isLying || !Array.isArray(data)) return undefined;
      told += 1;
      return { ...rest, data: [...data, forged] };
    },
  };
  let forged: Said = {};
  const { ada, bob, ofAda, ofBob } = await meeting(room, "", lies);
  const [first] = commitsOf(ofAda, ofBob);
  const [groupId, epoch] = [fromBase64Url(first?.group_id ?? ""), 1];
  forged = { seq: 1e6, epoch, kind: "commit", message: await forger.commitTo(groupId, epoch) };
  /** How often devices gave up the group that they were in, and asked for another. */
  const asked = () =>
    [ofAda, ofBob].flatMap((tap) => tap.bodies("POST /meet/v1/group/key-package, request")).length;
  const before = asked();
  isLying = true;
  const cleo = await Person.in(browser, "Cleo", room.url);
  await expect.poll(() => told, soon).toBeGreaterThanOrEqual(1);
  isLying = false;
  await expect.poll(asked, soon).toBeGreaterThan(before);
  await Promise.all([cleo.sees("Ada"), cleo.sees("Bob"), ada.sees("Bob"), bob.sees("Ada")]);
  for (const one of [ada, bob, cleo]) await devicesOf(one, 3);
  await expect
    .poll(
      async () => new Set([await codeOf(ada), await codeOf(bob), await codeOf(cleo)]).size,
      soon,
    )
    .toBe(1);
  await watch.look();
  await part(ada, bob, cleo);
});

/** The service lets in a device of its own, with a genuine seat and no tile in the meeting. */
async function silentDevice(room: Room, fragment: string) {
  const { ada, bob, ofAda, ofBob } = await meeting(room, fragment);
  expect(await devicesOf(ada, 2)).toHaveLength(2);
  const info = await ada.openPanel("Info");
  await info.getByRole("button", { name: "Everybody has the same code" }).click();
  const { device, crowd } = await NodeDevice.in(service, room, "Silent");
  await ada.told("A new device joined after you compared").waitFor(soon);
  expect((await devicesOf(ada, 3)).filter((name) => name.includes("Silent"))).toHaveLength(1);
  expect(await bob.told("A new device joined after you compared").count()).toBe(0); // did not compare
  // From here on, people send in an epoch that the device is in.
  await Promise.all([ada.sees("Bob"), bob.sees("Ada")]);
  const began = Date.now() + 1500;
  const frames = () => passedOn(ofAda, ofBob, began, Date.now());
  await expect.poll(() => frames().length, soon).toBeGreaterThan(100);
  const opened = openedWith(
    device.keys.map(({ media }) => media),
    frames(),
  );
  const end = async () => {
    device.close();
    await crowd.disperse();
    await watch.look();
    await part(ada, bob);
  };
  return { device, opened, end };
}

test("without a link secret, a silent device of the service is listed and announced, and reads along", async () => {
  const room = await service.makeRoom({ encryption: "strict" });
  const { device, opened, end } = await silentDevice(room, "");
  // This shows that the next test can fail.
  expect(device.state?.members).toHaveLength(3);
  expect(opened.length).toBeGreaterThan(100);
  await end();
});

test("with a link secret, a silent device of the service is listed and announced, and reads nothing", async () => {
  const room = await service.makeRoom({ encryption: "strict" });
  const { device, opened, end } = await silentDevice(room, `#${watch.newLinkSecret()}`);
  expect(device.state).toBeNull();
  expect(device.keys).toEqual([]);
  expect(device.troubles.map(({ reason }) => reason)).toEqual(["link_secret"]);
  expect(opened).toEqual([]);
  await end();
});

test("a search finds no key and no link secret of these meetings at the service", async () => {
  await watch.expectNothing("Cleo");
});
