import path from 'node:path'
import { LinkServer, type LinkService } from '@kiroku/link'
import type { Logger } from './Logger.ts'
import type { Nats } from './describeCluster.ts'
import type { Connection } from './watchConnection.ts'

/** What a node's links need. */
export interface LinkSetup {
  readonly dataDir: string
  readonly log: string
  readonly nats: Nats
  readonly connection: Connection
  readonly logger: Logger
  readonly at: LinkService['at']
}

/**
 * Opens a node's socket in its data folder. Undefined: this machine or this folder can have none, and clients use NATS
 * alone.
 */
export const startLink = async (setup: LinkSetup): Promise<LinkServer | undefined> => {
  const { dataDir, log, nats, connection, logger, at } = setup
  if (process.platform === 'win32') return undefined
  try {
    const link = await LinkServer.start(path.join(dataDir, 'link'), {
      log,
      requestBytesMax: nats.info?.max_payload ?? 1024 * 1024,
      // Without NATS nothing can be stored; clients that go there learn it at once.
      at: (partition) => (connection.up() ? at(partition) : undefined),
      onTrouble: (what) => logger('warn', 'link closed', { reason: what }),
      onDefect: (error) => logger('error', 'command failed', { error }),
    })
    connection.onDown(() => link.disconnect())
    return link
  } catch (error) {
    logger('info', 'no link: clients use NATS alone', {
      reason: error instanceof Error ? error.message : String(error),
    })
    return undefined
  }
}
