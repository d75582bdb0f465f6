import { Button } from "@conclave/ui/button";
import { CopyOutcome } from "@conclave/ui/copy-outcome";
import { IconButton } from "@conclave/ui/icon-button";
import { useCopy } from "@conclave/ui/use-copy";
import { Check, Copy, KeyRound, Lock } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ListFrame } from "../../member/list-frame";
import type { PagedList } from "../../member/use-list";
import { SecretLinkDialog } from "./secret-link-dialog";
import type { OwnRoom } from "./workspace-service";

export interface RoomListProps {
  readonly list: PagedList<OwnRoom>;
  readonly onGo: (url: string) => void;
}

/** The rooms of the workspace, newest first. */
export function RoomList({ list, onGo }: RoomListProps) {
  const { t } = useTranslation();
  const empty = { title: t("home.noRooms"), text: t("home.noRoomsText") };
  return (
    <ListFrame title={t("home.rooms")} list={list} empty={empty}>
      {(room) => <RoomItem key={room.id} room={room} onGo={onGo} />}
    </ListFrame>
  );
}

interface RoomItemProps {
  readonly room: OwnRoom;
  readonly onGo: (url: string) => void;
}

function RoomItem({ room, onGo }: RoomItemProps) {
  const { t } = useTranslation();
  const { outcome, copy } = useCopy(room.url);
  const isCopied = outcome === "copied";
  const { access, admission, encryption } = room.settings;
  const isStrict = encryption === "strict";
  const [isMakingSecret, setMakingSecret] = useState(false);
  const traits = [
    access === "members" ? t("home.membersOnly") : null,
    admission === "knock" ? t("home.knock") : null,
    isStrict ? t("home.strict") : null,
  ].filter((trait) => trait !== null);
  return (
    <li className="member-item">
      <div className="member-item-text">
        <p className="member-item-title">
          <bdi>{room.name}</bdi>
          {room.locked ? <Lock size={16} role="img" aria-label={t("home.locked")} /> : null}
        </p>
        <p className="member-note">{[room.code, ...traits].join(" · ")}</p>
        <CopyOutcome
          text={room.url}
          outcome={outcome}
          copiedLabel={t("home.copied")}
          failedLabel={t("home.copyFailed")}
        />
      </div>
      <div className="member-item-actions">
        {isStrict ? (
          <IconButton
            label={t("home.secretLinkOf", { name: room.name })}
            icon={<KeyRound size={20} />}
            onPress={() => setMakingSecret(true)}
          />
        ) : null}
        <IconButton
          label={isCopied ? t("home.copied") : t("home.copyLinkOf", { name: room.name })}
          icon={isCopied ? <Check size={20} /> : <Copy size={20} />}
          onPress={copy}
        />
        <Button
          aria-label={t("home.joinNamed", { name: room.name })}
          onPress={() => onGo(room.url)}
        >
          {t("home.join")}
        </Button>
        {isMakingSecret ? (
          <SecretLinkDialog url={room.url} onGo={onGo} onClose={() => setMakingSecret(false)} />
        ) : null}
      </div>
    </li>
  );
}
