/**
 * A real OpenID Connect provider as a process: `node identity-provider.mjs PORT REDIRECT_URI`. Its
 * login page accepts any name. The name is the e-mail address, which counts as confirmed unless it
 * begins with "unconfirmed".
 */
import Provider from "oidc-provider";

const [port, redirectUri] = process.argv.slice(2);
const provider = new Provider(`http://localhost:${port}`, {
  clients: [
    {
      client_id: "conclave",
      client_secret: "a secret of the two",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code"],
      response_types: ["code"],
    },
  ],
  pkce: { required: () => true },
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      email: id,
      email_verified: !id.startsWith("unconfirmed"),
      name: "Ada from elsewhere",
    }),
  }),
});
provider.listen(Number(port), "127.0.0.1", () => process.stdout.write("ready\n"));
