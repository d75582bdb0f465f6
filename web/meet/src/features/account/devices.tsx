import { MemberService } from "@conclave/client/recording/member-service";
import { MemberBrowser } from "@conclave/client/recording/own-device";
import { Button } from "@conclave/ui/button";
import { keepFocus } from "@conclave/ui/keep-focus";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { codeOf } from "../../member/code-of";
import { DeviceItem } from "./device-item";
import "./calendars.css";
import { Problem } from "./problem";
import { useRefusal } from "./use-refusal";

export interface DevicesProps {
  readonly baseUrl: string;
  /** Separates the people who use this browser. */
  readonly email: string;
  readonly onSignedOut: () => void;
}

type Listed = Awaited<ReturnType<MemberBrowser["devices"]>>;

/** The person's devices, as the service lists them, and what can be done with them. */
function useDevices({ baseUrl, email, onSignedOut }: DevicesProps) {
  const { member, browser } = useMemo(() => {
    const service = new MemberService({ baseUrl });
    return { member: service, browser: new MemberBrowser(service, email) };
  }, [baseUrl, email]);
  const [listed, setListed] = useState<Listed | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);

  /** Lists the devices again once something has been done with them. */
  const after = async (done: Promise<unknown>) => {
    setRefusal(null);
    try {
      await done;
      setListed(await browser.devices());
    } catch (error) {
      setRefusal(codeOf(error));
    }
  };
  useEffect(() => {
    let isCurrent = true;
    browser.devices().then(
      (found) => isCurrent && setListed(found),
      (error: unknown) => isCurrent && setRefusal(codeOf(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [browser]);
  return {
    listed,
    refusal: useRefusal(refusal, onSignedOut),
    revoke: (id: string) => void after(member.revokeDevice(id)),
    addThisOne: () => void after(browser.registerAnew()),
  };
}

/** The browsers in which the person opens end_to_end recordings. */
export function Devices(props: DevicesProps) {
  const { t } = useTranslation();
  const { listed, refusal, revoke, addThisOne } = useDevices(props);
  return (
    <section
      ref={keepFocus}
      className="account-form calendars"
      tabIndex={-1}
      aria-labelledby="devices-title"
    >
      <h2 className="account-subtitle" id="devices-title">
        {t("devices.title")}
      </h2>
      <p className="account-note">{t("devices.text")}</p>
      {listed?.all.length === 0 ? <p>{t("devices.none")}</p> : null}
      <ul className="calendars-list" aria-labelledby="devices-title">
        {listed?.all.map((device) => (
          <DeviceItem
            key={device.id}
            device={device}
            isOwn={device.id === listed.own}
            onRevoke={() => revoke(device.id)}
          />
        ))}
      </ul>
      {refusal ? <Problem code={refusal === "limit_reached" ? "device_limit" : refusal} /> : null}
      {listed && listed.own === null ? (
        <>
          <p className="account-note">{t("devices.notListed")}</p>
          <Button onPress={addThisOne}>{t("devices.add")}</Button>
        </>
      ) : null}
    </section>
  );
}
