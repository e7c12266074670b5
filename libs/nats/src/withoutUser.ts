/**
 * A server's address without the user and password in front of its host. NATS clients do not log in by them, so that they
 * could only be lost to errors, logs and status.
 */
export const withoutUser = (server: string): string => server.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1')
