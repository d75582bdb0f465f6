/**
 * LiveKit's client library, used as in its documentation, for a person who goes from one room to
 * another. This page has none of our code.
 */
import {
  createLocalTracks,
  ExternalE2EEKeyProvider,
  type LocalTrack,
  type RemoteParticipant,
  type RemoteTrack,
  Room,
  RoomEvent,
  Track,
} from "livekit-client";
import EncryptionWorker from "livekit-client/e2ee-worker?worker";
import type { StockCredentials } from "./stock";

declare global {
  interface Window {
    /** Opens the camera and, unless the person is muted, the microphone. */
    openMedia: (muted: boolean) => Promise<void>;
    /** Makes everything for the next room that needs no connection to it. */
    prepareRoom: (given: StockCredentials) => Promise<void>;
    /** Leaves the room, if the person is in one, and goes to the one that was prepared. */
    goOver: () => Promise<void>;
    /** Resolves when the person is in the room where they went last. */
    connected: Promise<void>;
  }
}

interface Prepared {
  readonly room: Room;
  readonly worker: Worker;
  readonly given: StockCredentials;
}

let media: readonly LocalTrack[] = [];
let here: Prepared | null = null;
let next: Prepared | null = null;

const tiles = new Map<RemoteTrack, HTMLElement>();

/** Shows a picture where the benchmarks look for it on our page, too: in a group with the name. */
function show(track: RemoteTrack, { name, identity }: RemoteParticipant): void {
  const tile = document.createElement("div");
  tile.role = "group";
  tile.ariaLabel = name ?? identity;
  tile.append(track.attach());
  document.body.append(tile);
  tiles.set(track, tile);
}

function hide(track: RemoteTrack): void {
  track.detach();
  tiles.get(track)?.remove();
  tiles.delete(track);
}

window.openMedia = async (muted) => {
  media = await createLocalTracks({ video: true, audio: !muted });
};

window.prepareRoom = async (given) => {
  const keyProvider = new ExternalE2EEKeyProvider();
  const worker = new EncryptionWorker();
  const room = new Room({ encryption: { keyProvider, worker } });
  room.on(RoomEvent.TrackSubscribed, (track, _publication, participant) => {
    if (track.kind === Track.Kind.Video) show(track, participant);
  });
  room.on(RoomEvent.TrackUnsubscribed, hide);
  await keyProvider.setKey(given.e2ee_passphrase);
  await room.setE2EEEnabled(true);
  next = { room, worker, given };
};

async function connect({ room, given }: Prepared, before: Prepared | null): Promise<void> {
  await before?.room.disconnect(false); // the camera stays open
  before?.worker.terminate();
  await room.connect(given.server_url, given.token);
}

window.goOver = async () => {
  if (!next) throw new Error("no room was prepared");
  const [to, before] = [next, here];
  [here, next] = [to, null];
  document.body.replaceChildren(); // what comes from now on is from the new room
  window.connected = connect(to, before);
  await window.connected;
  const { localParticipant } = to.room;
  await Promise.all(
    media.map(({ mediaStreamTrack, source }) =>
      localParticipant.publishTrack(mediaStreamTrack, { source }),
    ),
  );
};
