// Package identity manages accounts, workspaces, members and their roles, how
// people sign in, and the API keys that a company's servers use.
//
// A workspace owns rooms. An account is a person, known by an e-mail address;
// it is a member of workspaces, with a role in each: owner, admin, member, or
// a role the workspace made itself, which may carry the rights "Manage API
// keys and webhooks" (manage_keys) and manage_rooms. Every account also has a
// personal workspace, of which it is the owner.
//
// An API key belongs to a workspace and was made by an account. It works while
// it is neither revoked nor expired and its creator still has the right to
// make keys:
//
//	         created
//	            |
//	            v      creator loses the right
//	 revoke  active  <------------------------>  inactive
//	   |        |      creator gets it back
//	   v        v expires_at passes
//	revoked  expired
//
// A person signs in with a password, or through the organisation's identity
// provider. People do not register: an account is created together with a
// membership, and an invitation, a link with a secret that works once, lets its
// owner choose the password. Signing in starts a session, a random token in a
// cookie:
//
//	account ──invite──► invitation ──accept──► password ──sign in──► session
//	                        │                                          │
//	                        v 7 days, used, or a newer one             v 30 days unused, signed out,
//	                      over                                       over   or a new password
//
// Secrets of invitations and sessions are stored as hashes, passwords with
// argon2id (docs/reference/sign-in.md).
//
// A session is read from the database with every request. What is known about a
// key is read again after half a second (keyFresh), or at once when this node
// changed it, so a revoked key or right ends within a second on every node.
package identity
