import type { Person, VideoView } from "@conclave/client";
import { Avatar } from "@conclave/ui/avatar";
import { Button } from "@conclave/ui/button";
import { IconButton } from "@conclave/ui/icon-button";
import { Named } from "@conclave/ui/named";
import {
  Hand,
  KeyRound,
  LockOpen,
  MicOff,
  Pin,
  PinOff,
  ScreenShare,
  ScreenShareOff,
  Spotlight,
} from "lucide-react";
import { type CSSProperties, memo, useState } from "react";
import { useTranslation } from "react-i18next";
import { ConnectionSign } from "./connection-sign";
import type { Place } from "./placement";
import { type VideoState, VideoSurface } from "./video-surface";
import "./tile.css";

export interface TileProps extends Place {
  readonly id: string;
  readonly person: Person;
  readonly kind: "camera" | "screen";
  readonly isPinned: boolean;
  readonly onPin: (id: string | null) => void;
  readonly onStopSharing: () => void;
  /** The person's newest reaction, while it is shown. */
  readonly reaction: string | null;
}

/** The tile of one person or one shared screen. */
export const Tile = memo(function Tile(props: TileProps) {
  const { id, person, kind, isPinned, onPin, onStopSharing, reaction } = props;
  const { left, top, width, height, isAbove, covered = 0 } = props;
  const { t } = useTranslation();
  const [video, setVideo] = useState<VideoState>("waiting");
  const name = person.name ?? t("tiles.someone");
  const isScreen = kind === "screen";
  const label = labelOf(name, person.isMe, isScreen, t);
  // A picture of one's own screen would show itself, within itself.
  const isOwnScreen = isScreen && person.isMe;
  const view = isScreen ? person.screen : person.camera;
  const classes = ["tile"];
  if (person.speaking && !isScreen) classes.push("tile-speaking");
  if (isAbove) classes.push("tile-above");
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields, this groups a person.
    <div
      role="group"
      aria-label={label}
      className={classes.join(" ")}
      data-me={person.isMe}
      style={{ left, top, width, height, "--covered": `${covered}px` } as CSSProperties}
    >
      {isOwnScreen ? <OwnScreen onStop={onStopSharing} /> : null}
      {!isOwnScreen && (view === null || video === "waiting") ? (
        <TileAvatar person={person} name={name} />
      ) : null}
      {view && !isOwnScreen ? (
        <VideoSurface
          view={view}
          isMirrored={person.isMe && !isScreen}
          fit={isScreen ? "contain" : "cover"}
          onState={setVideo}
        />
      ) : null}
      <TileNote
        person={person}
        name={name}
        view={view}
        isFrozen={video === "frozen" && !isScreen}
      />
      {reaction === null ? null : <TileReaction emoji={reaction} name={name} />}
      {person.handRaised && !isScreen ? <TileHand /> : null}
      <TileChip person={person} label={label} isScreen={isScreen} />
      <TilePin name={label} isPinned={isPinned} onPress={() => onPin(isPinned ? null : id)} />
    </div>
  );
});

/** In place of the picture of one's own screen. */
function OwnScreen({ onStop }: { readonly onStop: () => void }) {
  const { t } = useTranslation();
  return (
    <div className="tile-own-screen">
      <p>{t("tiles.sharing")}</p>
      <Button icon={<ScreenShareOff size={16} />} onPress={onStop}>
        {t("tiles.stopSharing")}
      </Button>
    </div>
  );
}

type Translate = ReturnType<typeof useTranslation>["t"];

function labelOf(name: string, isMe: boolean, isScreen: boolean, t: Translate): string {
  if (isScreen) return t("tiles.screen", { name });
  return isMe ? t("tiles.you", { name }) : name;
}

function TileAvatar({ person, name }: { readonly person: Person; readonly name: string }) {
  return (
    <span className="tile-avatar">
      <Avatar name={name} avatar={person.avatar} />
    </span>
  );
}

interface TileNoteProps {
  readonly person: Person;
  readonly name: string;
  readonly view: VideoView | null;
  /** Whether the picture has stopped. Not for screens, which often show nothing that moves. */
  readonly isFrozen: boolean;
}

/** Says what is wrong with the picture, so that a tile is never black without a reason. */
function TileNote({ person, name, view, isFrozen }: TileNoteProps) {
  const { t } = useTranslation();
  if (person.protection === "key_mismatch") {
    return (
      <p className="tile-note tile-note-alarm">
        <KeyRound size={20} aria-hidden="true" />
        <span>
          <Named name={name} words={(who) => t("tiles.keyMismatch", { name: who })} />
        </span>
      </p>
    );
  }
  if (person.protection === "unencrypted") {
    return (
      <p className="tile-note tile-note-alarm">
        <LockOpen size={20} aria-hidden="true" />
        <span>
          <Named name={name} words={(who) => t("tiles.unencrypted", { name: who })} />
        </span>
      </p>
    );
  }
  if (!person.connected) return <p className="tile-note">{t("tiles.connecting")}</p>;
  if (view === null) return null;
  if (view.paused) return <p className="tile-note">{t("tiles.paused")}</p>;
  if (isFrozen) return <p className="tile-note">{t("tiles.frozen")}</p>;
  return null;
}

interface TileReactionProps {
  readonly emoji: string;
  readonly name: string;
}

function TileReaction({ emoji, name }: TileReactionProps) {
  const { t } = useTranslation();
  return (
    <span className="tile-reaction" role="img" aria-label={t("tiles.reacted", { name, emoji })}>
      {emoji}
    </span>
  );
}

/** Says that the person raises a hand. */
function TileHand() {
  const { t } = useTranslation();
  return (
    <span className="tile-hand" role="img" aria-label={t("tiles.hand")}>
      <Hand size={20} />
    </span>
  );
}

interface TilePinProps {
  /** What the tile is called. */
  readonly name: string;
  readonly isPinned: boolean;
  readonly onPress: () => void;
}

function TilePin({ name, isPinned, onPress }: TilePinProps) {
  const { t } = useTranslation();
  return (
    <span className="tile-pin">
      <IconButton
        look="over-video"
        label={isPinned ? t("tiles.unpin", { name }) : t("tiles.pin", { name })}
        icon={isPinned ? <PinOff size={16} /> : <Pin size={16} />}
        onPress={onPress}
      />
    </span>
  );
}

interface TileChipProps {
  readonly person: Person;
  readonly label: string;
  readonly isScreen: boolean;
}

function TileChip({ person, label, isScreen }: TileChipProps) {
  const { t } = useTranslation();
  return (
    <span className="tile-chip">
      {isScreen ? <ScreenShare size={16} aria-hidden="true" /> : null}
      {!isScreen && person.connected && !person.microphone ? (
        <MicOff size={16} className="tile-muted" role="img" aria-label={t("tiles.muted")} />
      ) : null}
      {!isScreen && person.spotlitAt !== null ? (
        <Spotlight size={16} role="img" aria-label={t("tiles.spotlit")} />
      ) : null}
      <span className="tile-name" dir="auto">
        {isScreen || person.isMe ? (
          <Named
            name={person.name ?? t("tiles.someone")}
            words={(name) => labelOf(name, person.isMe, isScreen, t)}
          />
        ) : (
          label
        )}
      </span>
      {!isScreen && (person.quality === "poor" || person.quality === "lost") ? (
        <ConnectionSign quality={person.quality} />
      ) : null}
    </span>
  );
}
