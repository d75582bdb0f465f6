import { Button } from "@conclave/ui/button";
import { IconButton } from "@conclave/ui/icon-button";
import { IconLink } from "@conclave/ui/icon-link";
import { dayPhrase, isUnderWay, ownZone, type Reader, readingLocale } from "@conclave/ui/when";
import { CalendarPlus, Pencil } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { ListFrame } from "../../member/list-frame";
import type { PagedList } from "../../member/use-list";
import { nextOccurrence } from "./occurrence";
import { elsewherePhrase, repeatPhrases, timesText } from "./when-text";
import { calendarFilePath, type OwnMeeting } from "./workspace-service";

export interface UpcomingListProps {
  readonly list: PagedList<OwnMeeting>;
  readonly now: number;
  readonly onGo: (url: string) => void;
  readonly onEdit: (meeting: OwnMeeting) => void;
}

/** The meetings of the next days, each series once. */
export function UpcomingList({ list, now, onGo, onEdit }: UpcomingListProps) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const reader = useMemo(
    () => ({ zone: ownZone(), locale: readingLocale(language, navigator.languages), now }),
    [language, now],
  );
  const empty = { title: t("home.noMeetings"), text: t("home.noMeetingsText") };
  return (
    <ListFrame title={t("home.upcoming")} list={list} empty={empty}>
      {(meeting) => (
        <MeetingItem
          key={meeting.id}
          meeting={meeting}
          reader={reader}
          onGo={onGo}
          onEdit={onEdit}
        />
      )}
    </ListFrame>
  );
}

interface MeetingItemProps extends Pick<UpcomingListProps, "onGo" | "onEdit"> {
  readonly meeting: OwnMeeting;
  readonly reader: Reader;
}

function MeetingItem({ meeting, reader, onGo, onEdit }: MeetingItemProps) {
  const { t } = useTranslation();
  const next = nextOccurrence(meeting, reader.now);
  if (next === null) return null; // it ended while the page was open
  const isNow = isUnderWay(next, reader.now);
  const when = dayPhrase(next, reader);
  const repeats = repeatPhrases(meeting, next, reader);
  const elsewhere = elsewherePhrase(meeting, next, reader);
  const { join_url } = meeting;
  return (
    <li className="member-item">
      <div className="member-item-text">
        <p className="workspace-when">
          {isNow ? <span className="workspace-now">{t("home.now")}</span> : null}
          <time dateTime={new Date(next.start).toISOString()}>
            {t(when.key, when.values)}, {timesText(next, reader)}
          </time>
        </p>
        <p className="member-item-title">
          <bdi>{meeting.title}</bdi>
        </p>
        {repeats.length > 0 || elsewhere ? (
          <p className="member-note">
            {[...repeats, ...(elsewhere ? [elsewhere] : [])]
              .map(({ key, values }) => t(key, values))
              .join(" · ")}
          </p>
        ) : null}
      </div>
      <div className="member-item-actions">
        <IconLink
          label={t("home.addNamedToCalendar", { title: meeting.title })}
          icon={<CalendarPlus size={20} />}
          href={calendarFilePath(meeting.id)}
          download
        />
        {meeting.managed ? (
          <IconButton
            label={t("home.edit", { title: meeting.title })}
            icon={<Pencil size={20} />}
            onPress={() => onEdit(meeting)}
          />
        ) : null}
        {join_url === null ? null : (
          <Button
            aria-label={t("home.joinNamed", { name: meeting.title })}
            onPress={() => onGo(join_url)}
          >
            {t("home.join")}
          </Button>
        )}
      </div>
    </li>
  );
}
