import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openIndexToRead, reachedOf } from '@kiroku/audit-store'
import { openLog } from '@kiroku/log-jetstream'
import { connect } from '@kiroku/nats'
import { startServer } from '@kiroku/nats-server'
import { EngineProcess } from '../engine/EngineProcess.ts'
import { compare, type Side } from '../engine/rounds.ts'
import { atMost, informs, type Figure } from '../Figure.ts'
import type { KirokuLoad } from '../load/kirokuLoad.ts'
import { LoadProcess } from '../LoadProcess.ts'
import type { AuditBench } from './auditBench.ts'

const queue = 'lives'
const lookMs = 100

/** Whole lives under full load, with the auditor at work and without it, in turns. */
export const besideLoad = async ({ sizes, progress, folder }: AuditBench): Promise<Figure[]> => {
  const closers: (() => Promise<unknown>)[] = []
  try {
    const withAuditor = await startSide(true, await folder(), closers)
    const without = await startSide(false, await folder(), closers)
    const lag = { records: 0 }
    const side = (name: string, { run }: LoadedEngine): Side => ({
      name,
      count: sizes.besideLives,
      run: () => run(sizes.besideLives),
      // What the auditor has left to read must not disturb the round of the other.
      before: () => withAuditor.settled(),
      after: async () => {
        lag.records = Math.max(lag.records, await withAuditor.lag())
      },
    })
    const { rates, ratios } = await compare(
      sizes.rounds,
      [side('lives without an auditor', without), side('lives beside an auditor', withAuditor)],
      (text) => progress.step(text),
    )
    return [
      informs('lives without an auditor', rates[0]!, '/s'),
      informs('lives beside an auditor', rates[1]!, '/s'),
      atMost('deliveries slowed by the auditor', (1 - 1 / ratios[1]!) * 100, '%', 10),
      informs('records that it was behind at the end of a round', lag.records, ''),
    ]
  } finally {
    for (const closer of closers.reverse()) await closer()
  }
}

interface LoadedEngine {
  readonly run: (lives: number) => Promise<unknown>
  /** Records of the log that the auditor has not read. */
  readonly lag: () => Promise<number>
  readonly settled: () => Promise<void>
}

const startSide = async (
  isAudited: boolean,
  dataDir: string,
  closers: (() => Promise<unknown>)[],
): Promise<LoadedEngine> => {
  const server = await startServer({})
  closers.push(() => server.stop())
  const engine = await EngineProcess.start({ nats: server.url, partitions: 1, dataDir, isAudited })
  closers.push(() => engine.stop())
  const producer = new LoadProcess<KirokuLoad>('kirokuLoad', 'producer', [server.url])
  const consumer = new LoadProcess<KirokuLoad>('kirokuLoad', 'consumer', [server.url])
  closers.push(
    () => producer.end(),
    () => consumer.end(),
  )
  await producer.ask('create', [queue])
  await consumer.ask('consume', { queues: [queue], batch: 100, concurrency: 32 })
  closers.push(() => consumer.ask('stop'))
  const nats = await connect({ servers: server.url })
  closers.push(() => nats.close())
  const log = await openLog(nats, { name: 'main' })
  const partition = await log.partition(0)
  const lag = async (): Promise<number> =>
    isAudited ? (await partition.state()).lastSeq - reachedIn(join(dataDir, 'audit')) : 0
  return {
    lag,
    run: (messages) =>
      Promise.all([
        consumer.ask('acknowledged', { queues: [queue], messages }),
        producer.ask('send', { queues: [queue], messages, batch: 100, bodyBytes: 128, window: 64 }),
      ]),
    settled: async () => {
      while ((await lag()) > 0) await sleep(lookMs)
    },
  }
}

/** How far the only index in a folder has read its partition. */
const reachedIn = (folder: string): number => {
  const [incarnation] = existsSync(folder) ? readdirSync(folder) : []
  const index = incarnation === undefined ? undefined : openIndexToRead(join(folder, incarnation))
  if (index === undefined) return 0
  try {
    return reachedOf(index)[0]?.seq ?? 0
  } finally {
    index.close()
  }
}
