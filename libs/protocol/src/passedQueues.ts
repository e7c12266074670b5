import type { Lineage } from './Envelope.ts'
import type { QueueAddress } from './event/QueueAddress.ts'

/** A message that passed more queues is taken for one that does not say which. */
const passedMax = 256

/**
 * The queues that a message passed by the time it leaves `source`, as its lineage names them; undefined where that is not
 * known.
 */
export const passedQueues = (lineage: Lineage | undefined, source: QueueAddress): string[] | undefined => {
  const before = lineage === undefined ? [] : namesOf(lineage)
  const passed = before && [...new Set([...before, `${source.partition}/${source.queue}`])]
  return passed === undefined || passed.length > passedMax ? undefined : passed
}

/** Reads what `passedQueues` made; undefined where a lineage does not say it. */
export const readPassed = (lineage: Lineage): QueueAddress[] | undefined =>
  namesOf(lineage)?.map((name) => {
    const [partition, queue] = name.split('/').map(Number)
    return { partition: partition!, queue: queue! }
  })

/** A producer may have put anything into an envelope. */
const namesOf = ({ passed }: Lineage): readonly string[] | undefined =>
  Array.isArray(passed) &&
  passed.every((name) => typeof name === 'string' && /^\d{1,9}\/\d{1,15}$/.test(name))
    ? passed
    : undefined
