import { toBase64Url } from "../client/src/recording/base64url";
import type { StatementAnswer } from "../client/src/strict/group-protocol";
import { GroupService } from "../client/src/strict/group-service";
import { MlsGroup } from "../client/src/strict/mls-group";
import {
  type Membership,
  newKeyPackage,
  newSignatureKeys,
  type OwnKeyPackage,
  readKeyPackage,
  type SignatureKeys,
} from "../client/src/strict/mls-suite";
import { newStatementKey, signStatement } from "../client/src/testing/played-delivery";
import type { Seat } from "../client/src/wire";
import { takeSeats } from "./node-device";
import type { Room, ServiceUnderTest } from "./service";

/** Takes every statement for genuine. */
export const believesAll: Membership = {
  isGenuine: async () => true,
  mayBeAdded: async () => true,
  identityOf: (credential) => credential,
};

/** A device that was never added, and its key package. */
export interface Outsider {
  readonly identity: string;
  readonly own: OwnKeyPackage;
}

/** Makes what a delivery service that lies could show to devices. */
export class Forger {
  readonly #service: ServiceUnderTest;
  readonly #keys: SignatureKeys;

  private constructor(service: ServiceUnderTest, keys: SignatureKeys) {
    this.#service = service;
    this.#keys = keys;
  }

  static async at(service: ServiceUnderTest): Promise<Forger> {
    return new Forger(service, await newSignatureKeys());
  }

  /** A statement about this room that the service did not sign. */
  async withOwnSignature({ id }: Room, identity: string): Promise<Outsider> {
    const expiresAt = Date.now() + 3_600_000;
    const said = { identity, room: id, meeting: "", expiresAt };
    const { publicKey } = this.#keys;
    const statement = await signStatement(await newStatementKey(), publicKey, said);
    return this.#outsider(identity, statement);
  }

  /** The statement of a member, which is about the member's key. */
  withStatementOf(identity: string, statement: string): Promise<Outsider> {
    return this.#outsider(identity, statement);
  }

  /** A statement of the service, for a device in another strict meeting. */
  async withStatementForAnotherRoom(): Promise<Outsider> {
    const room = await this.#service.makeRoom({ encryption: "strict" });
    const [seat] = (await takeSeats(this.#service, room, ["Eve"])) as [Seat];
    const { identity, ticket } = seat;
    const delivery = new GroupService({ baseUrl: this.#service.url, ticket, place: null });
    const key = toBase64Url(this.#keys.publicKey);
    const { statement }: StatementAnswer = await delivery.statement(key);
    return this.#outsider(identity, statement);
  }

  /** A commit to a group with this id, made in its epoch by somebody who is not in it. */
  async commitTo(groupId: Uint8Array, epoch: number): Promise<string> {
    const rules = { membership: believesAll, linkSecret: null };
    const { own } = await this.#outsider("", "v1.forger");
    const group = await MlsGroup.create(groupId, own, rules);
    for (;;) {
      const other = await newKeyPackage(`v1.eve${group.epoch}`, await newSignatureKeys());
      const offer = await readKeyPackage(other.bytes, believesAll);
      if (!offer) throw new Error("the forged key package cannot be read");
      const { commit } = await group.commit([offer], []);
      if (group.epoch === epoch) return toBase64Url(commit);
      group.apply();
    }
  }

  async #outsider(identity: string, statement: string): Promise<Outsider> {
    return { identity, own: await newKeyPackage(statement, this.#keys) };
  }
}
