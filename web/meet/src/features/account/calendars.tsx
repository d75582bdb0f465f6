import { keepFocus } from "@conclave/ui/keep-focus";
import { Suspense, startTransition, use, useState } from "react";
import { useTranslation } from "react-i18next";
import { CalDavForm } from "./caldav-form";
import { CalendarFeed } from "./calendar-feed";
import { CalendarItem } from "./calendar-item";
import { type CalDavAccess, CalendarService, type Provider } from "./calendar-service";
import "./calendars.css";
import { Problem } from "./problem";
import { useRefusal } from "./use-refusal";

export interface CalendarsProps {
  readonly baseUrl: string;
  /** Why a calendar could not be connected, for a person who comes back from its provider. */
  readonly problem: string | null;
  readonly onSignedOut: () => void;
}

/** The person's own calendars: those that meetings are written to, and the feed. */
export function Calendars({ baseUrl, problem, onSignedOut }: CalendarsProps) {
  const { t } = useTranslation();
  const [service] = useState(() => new CalendarService(baseUrl));
  const [calendars, setCalendars] = useState(() => service.calendars());
  const [feed] = useState(() => service.feed());
  // The list stays until the next one has come, and what has the focus in it.
  const reload = () => startTransition(() => setCalendars(service.calendars()));
  return (
    <>
      <section
        ref={keepFocus}
        className="account-form calendars"
        tabIndex={-1}
        aria-labelledby="calendars-title"
      >
        <h2 className="account-subtitle" id="calendars-title">
          {t("calendars.title")}
        </h2>
        <p className="account-note">{t("calendars.text")}</p>
        {problem ? <Problem code={problem} /> : null}
        <Suspense fallback={null}>
          <Connected
            service={service}
            calendars={calendars}
            onChanged={reload}
            onSignedOut={onSignedOut}
          />
        </Suspense>
      </section>
      <Suspense fallback={null}>
        <CalendarFeed service={service} feed={feed} onSignedOut={onSignedOut} />
      </Suspense>
    </>
  );
}

interface ConnectedProps {
  readonly service: CalendarService;
  readonly calendars: ReturnType<CalendarService["calendars"]>;
  readonly onChanged: () => void;
  readonly onSignedOut: () => void;
}

function Connected({ service, calendars, onChanged, onSignedOut }: ConnectedProps) {
  const { t } = useTranslation();
  const [refused, setRefused] = useState<string | null>(null);
  const outcome = use(calendars);
  const refusal = useRefusal(outcome.ok ? refused : outcome.code, onSignedOut);
  if (!outcome.ok) return refusal ? <Problem code={refusal} /> : null;
  const { providers, connections } = outcome.value;
  const isOffered = (provider: Provider) => providers.includes(provider);

  const disconnect = async (id: string) => {
    const gone = await service.disconnect(id);
    if (gone.ok || gone.code === "not_found") onChanged();
    setRefused(gone.ok || gone.code === "not_found" ? null : gone.code);
  };
  const connect = async (access: CalDavAccess) => {
    const made = await service.connectCalDav(access);
    if (made.ok) onChanged();
    else if (made.code === "sign_in_required") onSignedOut();
    return made;
  };

  return (
    <>
      {connections.length === 0 ? <p>{t("calendars.none")}</p> : null}
      <ul className="calendars-list">
        {connections.map((connection) => (
          <CalendarItem
            key={connection.id}
            connection={connection}
            onDisconnect={() => void disconnect(connection.id)}
          />
        ))}
      </ul>
      {refusal ? <Problem code={refusal} /> : null}
      {(["google", "microsoft"] as const).filter(isOffered).map((provider) => (
        <a
          key={provider}
          className="button button-plain button-medium"
          href={service.consentAddress(provider)}
        >
          {t(`calendars.connect.${provider}`)}
        </a>
      ))}
      <CalDavForm connect={connect} />
    </>
  );
}
