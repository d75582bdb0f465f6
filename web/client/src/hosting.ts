import type { Service } from "./service.js";

/**
 * What hosts and co-hosts can do with other people in a meeting. The service refuses it to
 * everybody else.
 */
export class Hosting {
  readonly #service: Service;
  readonly #ticket: string;

  constructor(service: Service, ticket: string) {
    this.#service = service;
    this.#ticket = ticket;
  }

  /** Turns a person's microphone off. Only that person can turn it on again. */
  mute(identity: string): Promise<void> {
    return this.#service.mute(this.#ticket, identity);
  }

  /** Turns off every microphone but one's own. */
  muteAll(): Promise<void> {
    return this.#service.muteAll(this.#ticket);
  }

  /** Turns a person's camera off. Only that person can turn it on again. */
  stopCamera(identity: string): Promise<void> {
    return this.#service.stopCamera(this.#ticket, identity);
  }

  /** Asks a person to unmute, who gets a notice and decides. */
  askToUnmute(identity: string): Promise<void> {
    return this.#service.askToUnmute(this.#ticket, identity);
  }

  /** Lowers a person's hand. */
  lowerHand(identity: string): Promise<void> {
    return this.#service.lowerHand(this.#ticket, identity);
  }

  /** Lowers every hand in the meeting. */
  lowerAllHands(): Promise<void> {
    return this.#service.lowerAllHands(this.#ticket);
  }

  /** Shows a person large to everybody in their room, or ends that. */
  setSpotlight(identity: string, lit: boolean): Promise<void> {
    return this.#service.setSpotlight(this.#ticket, identity, lit);
  }

  /** Removes a person, with all their devices. */
  remove(identity: string): Promise<void> {
    return this.#service.remove(this.#ticket, identity);
  }

  /** Admits a person who knocks, or turns them away. */
  answerKnock(identity: string, decision: "admit" | "deny"): Promise<void> {
    return this.#service.answerKnock(this.#ticket, identity, decision);
  }

  /** Admits everybody who knocks. */
  admitAll(): Promise<void> {
    return this.#service.admitAll(this.#ticket);
  }

  /** The room's own hosts: gives a person a host's powers in this meeting, or takes them back. */
  setCohost(identity: string, cohost: boolean): Promise<void> {
    return this.#service.setCohost(this.#ticket, identity, cohost);
  }

  /**
   * The room's own hosts, in a webinar: invites a person to the stage, or moves them to the
   * audience.
   */
  setStage(identity: string, onStage: boolean): Promise<void> {
    return this.#service.setStage(this.#ticket, identity, onStage);
  }

  /** The room's own hosts: ends the meeting for everyone. The room and its link remain. */
  endForEveryone(): Promise<void> {
    return this.#service.end(this.#ticket);
  }
}
