import type { DatabaseSync } from 'node:sqlite'
import { Hiding, type KnownQueue } from '@kiroku/audit'

/**
 * What the queues of an index hide, also deleted ones.
 * @param newer reads the queues of the log, which an index trails
 */
export const hidingOf = (database: DatabaseSync, newer?: () => Promise<KnownQueue[]>): Hiding =>
  new Hiding(
    database
      .prepare(
        `SELECT partition, queue, CASE WHEN instr(config, '"bodyHidden":"on"') > 0 THEN config ELSE '{}' END AS config
          FROM queues WHERE name <> ''`,
      )
      .all()
      .map(({ partition, queue, config }) => ({
        partition: partition as number,
        queue: queue as number,
        config: JSON.parse(config as string) as KnownQueue['config'],
      })),
    newer,
  )
