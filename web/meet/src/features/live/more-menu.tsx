import type { ReactionEmoji } from "@conclave/client";
import { CallButton } from "@conclave/ui/call-button";
import {
  Check,
  EllipsisVertical,
  Keyboard,
  LayoutGrid,
  Maximize,
  Minimize,
  PictureInPicture2,
  Presentation,
  ScreenShare,
  ScreenShareOff,
  Settings,
} from "lucide-react";
import type { ReactNode } from "react";
import {
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
  Separator,
} from "react-aria-components";
import { useTranslation } from "react-i18next";
import { ReactionItems } from "./reaction-items";
import type { Layout } from "./tile-plan";
import "@conclave/ui/menu.css";

export interface MoreMenuProps {
  readonly layout: Layout;
  readonly onLayout: (layout: Layout) => void;
  readonly isFullScreen: boolean;
  readonly onFullScreen: (() => void) | null;
  readonly onPictureInPicture: (() => void) | null;
  readonly onSettings: () => void;
  readonly onShortcuts: () => void;
  /** These three are in this menu on narrow screens, where the toolbar has no room for them. */
  readonly onReact: ((emoji: ReactionEmoji) => void) | null;
  readonly screen: { readonly sharing: boolean; readonly toggle: () => void } | null;
  readonly recordEntry: ReactNode;
}

export function MoreMenu(props: MoreMenuProps) {
  const { layout, onLayout, isFullScreen, onFullScreen, onPictureInPicture, onReact, screen } =
    props;
  const { t } = useTranslation();
  return (
    <MenuTrigger>
      <CallButton label={t("controls.more")} icon={<EllipsisVertical size={20} />} />
      <Popover className="menu-popover" placement="top">
        <Menu className="menu" aria-label={t("controls.more")}>
          {onReact ? (
            <MenuSection className="menu-emoji" aria-label={t("controls.react")}>
              <ReactionItems onReact={onReact} />
            </MenuSection>
          ) : null}
          {screen ? (
            <Entry
              label={screen.sharing ? t("controls.stopSharing") : t("controls.shareScreen")}
              icon={screen.sharing ? <ScreenShareOff size={20} /> : <ScreenShare size={20} />}
              onAction={screen.toggle}
            />
          ) : null}
          {props.recordEntry}
          <Layouts layout={layout} onLayout={onLayout} />
          <Separator className="menu-line" />
          {onFullScreen ? (
            <Entry
              label={isFullScreen ? t("controls.exitFullScreen") : t("controls.fullScreen")}
              icon={isFullScreen ? <Minimize size={20} /> : <Maximize size={20} />}
              onAction={onFullScreen}
            />
          ) : null}
          {onPictureInPicture ? (
            <Entry
              label={t("controls.pictureInPicture")}
              icon={<PictureInPicture2 size={20} />}
              onAction={onPictureInPicture}
            />
          ) : null}
          <Entry
            label={t("devices.settings")}
            icon={<Settings size={20} />}
            onAction={props.onSettings}
          />
          <Entry
            label={t("controls.shortcuts")}
            icon={<Keyboard size={20} />}
            onAction={props.onShortcuts}
          />
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

/** The two layouts of the tiles, of which the person chooses one. */
function Layouts({ layout, onLayout }: Pick<MoreMenuProps, "layout" | "onLayout">) {
  const { t } = useTranslation();
  return (
    <MenuSection
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[layout]}
      onSelectionChange={(keys) => onLayout([...keys][0] === "speaker" ? "speaker" : "grid")}
    >
      <LayoutEntry id="grid" label={t("controls.grid")} icon={<LayoutGrid size={20} />} />
      <LayoutEntry id="speaker" label={t("controls.speaker")} icon={<Presentation size={20} />} />
    </MenuSection>
  );
}

interface EntryProps {
  readonly label: string;
  readonly icon: ReactNode;
  readonly onAction: () => void;
}

function Entry({ label, icon, onAction }: EntryProps) {
  return (
    <MenuItem className="menu-item" textValue={label} onAction={onAction}>
      {icon}
      {label}
    </MenuItem>
  );
}

function LayoutEntry({ id, label, icon }: { id: Layout; label: string; icon: ReactNode }) {
  return (
    <MenuItem id={id} className="menu-item" textValue={label}>
      {({ isSelected }) => (
        <>
          {icon}
          {label}
          {isSelected ? <Check size={16} className="menu-item-check" aria-hidden="true" /> : null}
        </>
      )}
    </MenuItem>
  );
}
