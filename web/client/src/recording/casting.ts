/** Decides who is in a recording, and in which order. */
import type { RecordableMedia } from "../recordable-media.js";
import { isSpeaker, type Person } from "../roster.js";
import { arrange } from "../speaker-focus.js";
import { type Actor, layOut, presenterOf, type Scene } from "./scene.js";
import { pictureSize } from "./support.js";

/**
 * How many people have a place in front. A speaker from further back takes the place of one of
 * them.
 */
const firstRow = 4;

/** Remembers the order of the people, and whose screen is shown. */
export class Casting {
  #order: readonly string[] = [];
  readonly #spoke = new Map<string, number>();
  #sharing: string | null = null;

  /** The scene right now, without the audience. */
  scene(
    people: readonly Person[],
    recordable: ReadonlyMap<string, RecordableMedia>,
    hasAudience: boolean,
    now: number,
  ): Scene {
    const present = people.filter(
      (person) => person.isHere && person.connected && (!hasAudience || isSpeaker(person)),
    );
    const speaking = present.filter((person) => person.speaking).map(identityOf);
    for (const identity of speaking) this.#spoke.set(identity, now);
    const seen = present.map(identityOf).filter((identity) => recordable.get(identity)?.camera);
    const company = { present: present.map(identityOf), speaking, seen, spoke: this.#spoke };
    this.#order = arrange(this.#order, company, firstRow);
    const byIdentity = new Map(present.map((person) => [person.identity, person]));
    const actors = this.#order.flatMap((identity) => {
      const person = byIdentity.get(identity);
      return person ? [actorOf(person, recordable.get(identity))] : [];
    });
    this.#sharing = presenterOf(actors, this.#sharing)?.identity ?? null;
    return layOut(actors, this.#sharing, pictureSize);
  }
}

const identityOf = ({ identity }: Person) => identity;

function actorOf(person: Person, media: RecordableMedia | undefined): Actor {
  return {
    identity: person.identity,
    name: person.name ?? "",
    avatar: person.avatar,
    hasCamera: Boolean(media?.camera),
    hasScreen: Boolean(media?.screen),
    isMuted: !person.microphone,
    isSpeaking: person.speaking,
  };
}
