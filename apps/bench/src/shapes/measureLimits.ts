import { startServer } from '@kiroku/nats-server'
import type { AppendLoad } from '../load/appendLoad.ts'
import type { RawLoad } from '../load/rawLoad.ts'
import { LoadProcess } from '../LoadProcess.ts'
import type { ShapesRun } from './ShapesRun.ts'

/** What the machine can do with bodies of a size. */
interface Limit {
  readonly name: string
  /** Bodies per second. */
  readonly perSecond: number
}

/** As large as records are that gather many messages, and how many of them are under way at once. */
const recordBytes = 512 * 1024
const recordsUnderWay = 4

/** How many bodies a second a program appends and fsyncs, one a record and gathered, and nats-server alone: the last is what a log on it can reach. */
export const measureLimits = async (
  { sizes, progress, folder }: ShapesRun,
  bodyBytes: number,
): Promise<readonly Limit[]> => {
  progress.step(`limits at ${bodyBytes} B`)
  await using stack = new AsyncDisposableStack()
  const started = <T extends AppendLoad | RawLoad>(module: string, address: string): LoadProcess<T> => {
    const process = new LoadProcess<T>(module, module, [address])
    stack.defer(() => process.end())
    return process
  }
  const disk = started<AppendLoad>('appendLoad', await folder())
  const server = await startServer({ syncInterval: 'always' })
  stack.defer(() => server.stop())
  const nats = started<RawLoad>('rawLoad', server.url)
  await nats.ask('create')
  const publishedPerSecond = async (bytes: number, window: number): Promise<number> => {
    const timed = async (messages: number): Promise<number> => {
      const beganMs = performance.now()
      await nats.ask('publish', { messages, bodyBytes: bytes, window })
      const perSecond = (messages * 1_000) / (performance.now() - beganMs)
      await nats.ask('purge')
      return perSecond
    }
    const first = await timed(20)
    return timed(Math.max(20, Math.ceil((first * sizes.limitMs) / 1_000)))
  }
  const gathered = Math.max(1, Math.floor(recordBytes / bodyBytes))
  const forMs = sizes.limitMs
  const half = `gathered in records of ${recordBytes / 1024} KB`
  return [
    {
      name: 'append and fsync, one a record',
      perSecond: await disk.ask('append', { bytes: bodyBytes, forMs }),
    },
    {
      name: `append and fsync, ${half}`,
      perSecond: gathered * (await disk.ask('append', { bytes: recordBytes, forMs })),
    },
    { name: 'nats-server alone, one after another', perSecond: await publishedPerSecond(bodyBytes, 1) },
    {
      name: `nats-server alone, ${half}, ${recordsUnderWay} at once`,
      perSecond: gathered * (await publishedPerSecond(recordBytes, recordsUnderWay)),
    },
  ]
}
