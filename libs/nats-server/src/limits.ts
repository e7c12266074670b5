/** The oldest nats-server with everything the log relies on (atomic batches). */
export const versionMinimum = '2.12.0'

/** The release that is fetched where there is none: the one that all tests run with. */
export const versionFetched = '2.15.1'

/** Where the releases of nats-server lie; `{version}` stands for the version. */
export const releaseDefault = 'https://github.com/nats-io/nats-server/releases/download/v{version}'

/** An archive has 8 MB and the server in it 20; more than this is something else. */
export const archiveBytesMax = 64 * 1024 * 1024
export const serverBytesMax = 256 * 1024 * 1024
export const checksumsBytesMax = 64 * 1024

/** How long a host may take to answer before the next way to a server is tried. */
export const answerTimeoutMs = 5_000

/** How long a download may bring nothing before it is given up. */
export const stallTimeoutMs = 8_000

export const redirectsMax = 5

/** Frames carry up to 1 MiB messages and many of them, so the server's default of 1 MB is too small. */
export const maxPayloadBytesDefault = 8 * 1024 * 1024

/** How long a server that nobody uses stays, so that an engine which crashed finds it again. */
export const graceMsDefault = 10_000

/** How long a server may take to read its store after a crash before we give up on it. */
export const readyTimeoutMs = 120_000

/** How long a server may take to end by itself after SIGTERM before it is killed. */
export const stopTimeoutMs = 5_000

/** First and longest pause before a server that ended unasked is started again. */
export const restartPauseMsMin = 50
export const restartPauseMsMax = 5_000

/** Longest path of a unix socket that every system accepts (Linux 108, macOS 104, with the final zero). */
export const socketPathBytesMax = 100

/** What a server leaves of its disk: this share of it, within these bounds. */
export const diskMarginShare = 0.02
export const diskMarginBytesMin = 16 * 1024 * 1024
export const diskMarginBytesMax = 256 * 1024 * 1024

/** How often the keeper looks at the disk: a server that fails to write once fails until it is restarted. */
export const diskPollMs = 200

/** A server may have failed to write on a disk with less; it works again only after a restart. */
export const starvedBytes = 4 * 1024 * 1024

/** What must be free before it is started again. */
export const healedBytes = 2 * starvedBytes

/** How often the keeper asks whether the store may grow, and by what share it must, at least. */
export const storeGrowthPollMs = 10_000
export const storeGrowthShare = 0.05
