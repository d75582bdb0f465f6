import type { ReactionEmoji } from "@conclave/client";
import { CallButton } from "@conclave/ui/call-button";
import { SmilePlus } from "lucide-react";
import { Menu, MenuTrigger, Popover } from "react-aria-components";
import { useTranslation } from "react-i18next";
import { ReactionItems } from "./reaction-items";
import "@conclave/ui/menu.css";

/** The menu of six reactions. Each is shown for a few seconds. */
export function ReactMenu({ onReact }: { readonly onReact: (emoji: ReactionEmoji) => void }) {
  const { t } = useTranslation();
  return (
    <MenuTrigger>
      <CallButton label={t("controls.react")} icon={<SmilePlus size={20} />} />
      <Popover className="menu-popover" placement="top">
        <Menu className="menu menu-emoji" aria-label={t("controls.react")}>
          <ReactionItems onReact={onReact} />
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
