/** The least length of a password. The service has the same limit. */
export const shortestPassword = 10;
