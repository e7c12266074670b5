import { setTimeout as sleep } from 'node:timers/promises'
import { processorMs, residentBytes } from '../console/processorTime.ts'
import { atMost, type Figure, informs } from '../Figure.ts'
import type { KirokuLoad } from '../load/kirokuLoad.ts'
import { type Own, ShapeSystems } from './ShapeSystems.ts'
import type { ShapesRun } from './ShapesRun.ts'

const processorMax = 5
const natsMessagesMax = 50

/** What Kiroku takes while nothing is sent: without queues, beside many consumers that wait, each in a queue of its own, and beside many queues. */
export const measureIdle = async (run: ShapesRun): Promise<Figure[]> => {
  await using servers = new ShapeSystems(run)
  const { sizes, progress } = run
  progress.step('starting an engine')
  const own = (await servers.kiroku()).own!
  const load = servers.process<KirokuLoad>('kirokuLoad', own.nats.url)
  const queues = Array.from({ length: sizes.idleQueues }, (_, i) => `queue-${i}`)
  const processes = () => ({ ...own.pids(), consumers: load.pid })
  const figures = await atRest(run, 'no consumers', own, processes)
  progress.step(`${sizes.idleConsumers} consumers`)
  const consumed = queues.slice(0, sizes.idleConsumers)
  await load.ask('create', consumed)
  await load.ask('consume', { queues: consumed, batch: 10, concurrency: 1 })
  const consumers = `${sizes.idleConsumers.toLocaleString('en')} consumers`
  figures.push(...(await atRest(run, consumers, own, processes)))
  progress.step(`${sizes.idleQueues} queues`)
  await load.ask('create', queues.slice(sizes.idleConsumers))
  const many = `${consumers}, ${sizes.idleQueues.toLocaleString('en')} queues`
  figures.push(...(await atRest(run, many, own, processes)))
  await load.ask('stop')
  run.report.figures('idle', figures)
  return figures
}

const atRest = async (
  { sizes, progress }: ShapesRun,
  beside: string,
  { audited, traffic }: Own,
  processes: () => Readonly<Record<string, number>>,
): Promise<Figure[]> => {
  await audited()
  progress.step(`idle, ${beside}`)
  const pids = Object.entries(processes())
  const spent = (): number[] => pids.map(([, pid]) => processorMs(pid))
  const before = { spent: spent(), traffic: await traffic(), atMs: performance.now() }
  await sleep(sizes.idleSeconds * 1_000)
  const after = { spent: spent(), traffic: await traffic(), atMs: performance.now() }
  const tookMs = after.atMs - before.atMs
  const shares = pids.map(
    ([name], i) => [name, ((after.spent[i]! - before.spent[i]!) * 100) / tookMs] as const,
  )
  const title = `idle, ${beside}`
  return [
    atMost(
      `${title}, processor of all processes`,
      shares.reduce((sum, [, share]) => sum + share, 0),
      '%',
      processorMax,
    ),
    ...shares.map(([name, share]) => informs(`${title}, processor, ${name}`, share, '%')),
    atMost(
      `${title}, NATS messages`,
      ((after.traffic.messages - before.traffic.messages) * 1_000) / tookMs,
      '/s',
      natsMessagesMax,
    ),
    ...pids.map(([name, pid]) => informs(`${title}, memory, ${name}`, residentBytes(pid) / 2 ** 20, 'MiB')),
  ]
}
