/** How long the first connection may take. */
export const connectTimeoutMs = 5_000

/** How often an idle connection is probed; two lost probes count as disconnected. */
export const pingIntervalMs = 5_000

/** Shortest pause between attempts to reconnect. */
export const backOffMsMin = 50

/** Longest pause between attempts to reconnect. */
export const backOffMsMax = 2_000

/** How long a publish waits for its answer before it counts as ambiguous. */
export const publishTimeoutMs = 5_000

/** The oldest nats-server that has what the log needs (atomic batches). */
export const serverVersionMin = '2.12.0'

/** How long a request to JetStream's API waits for its answer. */
export const requestTimeoutMs = 2_000

/** How long a look at a server's greeting may take. */
export const lookTimeoutMs = 300

/** The port of a server that is named without one. */
export const defaultNatsPort = 4222
