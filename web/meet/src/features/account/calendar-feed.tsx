import { Button } from "@conclave/ui/button";
import { Confirm } from "@conclave/ui/confirm";
import { TextField } from "@conclave/ui/text-field";
import { use, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CalendarService } from "./calendar-service";
import { Problem } from "./problem";
import { useRefusal } from "./use-refusal";

export interface CalendarFeedProps {
  readonly service: CalendarService;
  readonly feed: ReturnType<CalendarService["feed"]>;
  readonly onSignedOut: () => void;
}

/** The feed's address, and what the person did with it last. */
function useFeed({ service, feed, onSignedOut }: CalendarFeedProps) {
  const outcome = use(feed);
  const [address, setAddress] = useState(outcome.ok ? outcome.value.address : null);
  const [refused, setRefused] = useState(outcome.ok ? null : outcome.code);
  const [said, setSaid] = useState<"copied" | "wasReset" | null>(null);

  const reset = async () => {
    const fresh = await service.resetFeed();
    if (fresh.ok) {
      setAddress(fresh.value.address);
      setRefused(null);
      return fresh.value.address;
    }
    setRefused(fresh.code);
    return null;
  };
  const copy = async () => {
    const text = address ?? (await reset());
    if (text === null) return;
    // If the browser refuses, the person can copy the address from its field.
    await navigator.clipboard.writeText(text).then(
      () => setSaid("copied"),
      () => setSaid(null),
    );
  };
  const renew = async () => {
    if ((await reset()) !== null) setSaid("wasReset");
  };
  return { address, refusal: useRefusal(refused, onSignedOut), said, copy, renew };
}

/** The secret address at which a calendar program finds the person's meetings. */
export function CalendarFeed(props: CalendarFeedProps) {
  const { t } = useTranslation();
  const { address, refusal, said, copy, renew } = useFeed(props);
  const [isAsking, setAsking] = useState(false);

  return (
    <section className="account-form calendars" aria-labelledby="feed-title">
      <h2 className="account-subtitle" id="feed-title">
        {t("calendars.feed")}
      </h2>
      <p className="account-note">{t("calendars.feedText")}</p>
      {address === null ? null : (
        <TextField
          label={t("calendars.feedAddress")}
          value={address}
          onChange={() => undefined}
          isReadOnly
        />
      )}
      {refusal ? <Problem code={refusal} /> : null}
      <div className="calendars-actions">
        <Button onPress={() => void copy()}>{t("calendars.copy")}</Button>
        {address === null ? null : (
          <Button look="quiet-danger" onPress={() => setAsking(true)}>
            {t("calendars.reset")}
          </Button>
        )}
      </div>
      <p className="account-changed" role="status">
        {said ? t(`calendars.${said}`) : ""}
      </p>
      {isAsking ? (
        <Confirm
          title={t("calendars.resetTitle")}
          text={t("calendars.resetText")}
          confirmLabel={t("calendars.reset")}
          cancelLabel={t("calendars.cancel")}
          onConfirm={() => {
            setAsking(false);
            void renew();
          }}
          onCancel={() => setAsking(false)}
        />
      ) : null}
    </section>
  );
}
