import {
  decodeRecord,
  isSealed,
  KeyReader,
  readSealed,
  unlock,
  type DecodedRecord,
  type Log,
  type LogRecord,
} from '@kiroku/log'
import { isKirokuError } from '@kiroku/protocol'
import { KeyLedger, type KeyProblem } from './KeyLedger.ts'

/** Whether the keys of erasable queues match the record. */
export interface KeyReport {
  /** Encrypted messages on record, copies included. */
  readonly messages: number
  /** Entries of keys that they need. */
  readonly entries: number
  readonly problems: readonly KeyProblem[]
}

/**
 * Checks the keys of erasable queues against the record: what is not erased must exist, what is erased must
 * not. Reads all partitions; may run alongside a live engine. Errors: `KeysUnavailable`, and those of the
 * log.
 */
export const checkKeys = async (log: Log): Promise<KeyReport> => {
  const ledger = new KeyLedger()
  const values = new Map<string, Uint8Array | undefined>()
  const reader = new KeyReader({
    get: async (entry) => {
      const found = await log.keys.get(entry)
      values.set(entry, found?.value)
      return found
    },
  })
  const take = async (bodies: readonly Uint8Array[], at: number): Promise<void> => {
    const wrong = await Promise.all(bodies.map((body) => wrongKey(reader, body)))
    bodies.forEach((body, i) => ledger.body(body, at, wrong[i]))
  }
  const reached = new Map<number, number>()
  const whole = new Set<number>()
  let newestAt = 0
  const read = async (what: 'all' | 'events'): Promise<void> => {
    for (let n = 0; n < log.meta.partitions; n++) {
      const partition = await log.partition(n)
      try {
        const { firstSeq, lastSeq } = await partition.state()
        if (!reached.has(n) && firstSeq === 1) whole.add(n)
        const from = Math.max(firstSeq, (reached.get(n) ?? 0) + 1)
        reached.set(n, lastSeq)
        for await (const stored of partition.read(from, lastSeq)) {
          const record = tryDecode(stored)
          if (record === undefined) continue
          newestAt = Math.max(newestAt, stored.timeMs)
          if (what === 'all') await take(sealedIn(record), stored.timeMs)
          if (record.kind === 'frame') for (const event of record.events) ledger.event(event, n)
        }
      } finally {
        await partition.close()
      }
    }
  }
  await read('all')
  const entries = [...ledger.entries]
  // What lies behind an erased key was not asked for.
  for (const entry of entries) if (!values.has(entry)) values.set(entry, (await log.keys.get(entry))?.value)
  const judge = (): KeyProblem[] =>
    entries.flatMap((entry) =>
      ledger.problems(entry, values.get(entry), (n) => whole.has(n), newestAt - log.keys.keptMs / 2),
    )
  let problems = judge()
  if (problems.length > 0) {
    // Erasures made since the record was read are on record by now.
    await read('events')
    problems = judge()
  }
  return { messages: ledger.messages, entries: entries.length, problems }
}

/** The key that is stored and does not open a message: whoever wrote its entry again knew nothing of the one that was lost. */
const wrongKey = async (reader: KeyReader, body: Uint8Array): Promise<string | undefined> => {
  const { head, box } = readSealed(body)
  let message = box
  for (const name of head.keys) {
    const key = await reader.key(name)
    if (!(key instanceof Uint8Array)) return undefined
    const inside = unlock(message, name, key)
    if (inside === undefined) return name
    message = inside
  }
  return undefined
}

const sealedIn = (record: DecodedRecord): Uint8Array[] => {
  const bodies = record.kind === 'body' ? [record.body] : record.sections.flatMap((each) => each.bodies)
  return bodies.filter((body) => body instanceof Uint8Array && isSealed(body)) as Uint8Array[]
}

const tryDecode = (stored: LogRecord): DecodedRecord | undefined => {
  if (stored.foreign) return undefined
  try {
    return decodeRecord(stored.data)
  } catch (e) {
    // The check of the chain reports damage with its place.
    if (isKirokuError(e) && e.id === 'LogDamaged') return undefined
    throw e
  }
}
