import type { Browser } from "playwright-core";
import { Person, type PersonOptions, quickly } from "./people";
import type { ServiceUnderTest } from "./service";

/** Of all members. */
const password = "correct horse battery";

/** Makes a person a member, and opens the start page in a browser where they are signed in. */
export async function memberAtHome(
  browser: Browser,
  service: ServiceUnderTest,
  name: string,
  options: PersonOptions = {},
  role = "member",
): Promise<Person> {
  const email = `${name.toLowerCase()}@acme.example`;
  await service.addMember(email, name, role, password);
  const person = await Person.at(browser, name, `${service.url}/`, {
    ...options,
    prepare: async (page) => {
      const data = { email, password };
      await page.request.post(`${service.url}/account/v1/sign-in`, { data });
      await options.prepare?.(page);
    },
  });
  await person.page.getByRole("button", { name: "New room", exact: true }).waitFor(quickly);
  return person;
}
