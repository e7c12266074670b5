import { KirokuError } from '@kiroku/protocol'
import { keysKeptMs } from './KeyStore.ts'
import type { Log, LogMeta, LogRecord } from './Log.ts'
import { MemoryFaults } from './MemoryFaults.ts'
import { MemoryKeys } from './MemoryKeys.ts'
import { MemoryPartition, type Schedule } from './MemoryPartition.ts'
import { MemorySpace } from './MemorySpace.ts'
import { MemoryStore } from './MemoryStore.ts'

/** How a memory log behaves; all optional. */
export interface MemoryLogOptions {
  /** Default: at once in a microtask, with a delay by `setTimeout`. */
  readonly schedule?: Schedule
  /** The store's clock, ms since 1970. Default: `Date.now`. */
  readonly now?: () => number
  /** Largest record in bytes. Default: 8 MB, as the managed server takes. */
  readonly recordBytesMax?: number
  /** Limit of each partition in bytes; 0 (default): none. */
  readonly bytesMax?: number
  /** Limit of all partitions and their checkpoints together, in bytes; 0 (default): none. */
  readonly storeBytesMax?: number
  /** Called with every record as it is stored. */
  readonly onStored?: (partition: number, record: LogRecord) => void
}

/** A log in memory with scripted faults. Every `partition(n)` is another handle to the same records. */
export type MemoryLog = Log & { readonly faults: MemoryFaults; readonly keys: MemoryKeys }

/** Creates a log in memory: the twin of the real ones, for tests and simulations on a controlled clock. */
export const createMemoryLog = (meta: Partial<LogMeta> = {}, options: MemoryLogOptions = {}): MemoryLog => {
  const full: LogMeta = {
    name: 'main',
    incarnation: 'memory',
    partitions: 4,
    replicas: 1,
    recordMs: 7 * 24 * 3_600_000,
    recordBytes: 20 * 2 ** 30,
    ...meta,
  }
  const stores = new Map<number, MemoryStore>()
  const space = new MemorySpace(stores, options.storeBytesMax ?? 0)
  const store = (n: number): MemoryStore => {
    if (!Number.isInteger(n) || n < 0 || n >= full.partitions)
      throw new KirokuError('InvalidArgument', `log ${full.name} has no partition ${n}`)
    const onStored = (record: LogRecord): void => options.onStored?.(n, record)
    const known =
      stores.get(n) ?? new MemoryStore(options.now ?? Date.now, options.bytesMax ?? 0, space, onStored)
    stores.set(n, known)
    return known
  }
  const faults = new MemoryFaults(store, space, options.recordBytesMax ?? 8_000_000)
  return {
    meta: full,
    faults,
    keys: new MemoryKeys(keysKeptMs(full.recordMs), options.now ?? Date.now),
    partition: async (n) => {
      if (faults.unloaded.has(n)) throw new KirokuError('LogDamaged', `partition ${n} is missing`)
      return new MemoryPartition(n, store(n), faults, options.schedule ?? atOnce)
    },
    restore: async (n) => void faults.unloaded.delete(n),
    room: async () => {
      if (faults.isDown) throw new KirokuError('NatsUnreachable', 'the log is down')
      return space.room
    },
    close: () => Promise.resolve(),
  }
}

const atOnce: Schedule = (ms, fn) => {
  if (ms === 0) queueMicrotask(fn)
  else setTimeout(fn, ms)
}
