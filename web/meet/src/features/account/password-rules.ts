/** The least length of a password, as the service has it. */
export const shortestPassword = 10;
