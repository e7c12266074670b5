/** Version of the link's frames and greetings; the commands in them have their own. */
export const linkVersion = 1

/** How long a connection may take to greet. */
export const greetingTimeoutMs = 2_000

/** The largest greeting. */
export const greetingBytesMax = 1024

/** The largest reply. */
export const replyBytesMax = 1024 ** 3

/** Replies that a client may leave unread before its link is closed: as much as nats-server allows. */
export const unreadBytesMax = 64 * 1024 * 1024

/** Links that a node serves at once; further clients use NATS. */
export const connectionsMax = 1_000

/** The longest path of a socket that Linux and macOS both take. */
export const addressBytesMax = 103

/** Shortest and longest pause before a link that failed is tried again. */
export const pauseMsMin = 100
export const pauseMsMax = 60_000

/** How long clients may take to read the last replies when a node stops. */
export const drainMs = 1_000

/** Size of the buffer that all sockets of a thread are read into. */
export const readBufferBytes = 256 * 1024
