import type { CheckpointStore, Log, PartitionLog } from '@kiroku/log'
import { connect, requestCommands } from '@kiroku/nats'
import { temporaryFolder, waitUntil, withNats } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { openLog } from '../log/logAdapter.ts'
import type { Logger } from './Logger.ts'
import { startNode } from './startNode.ts'
import { watchConnection } from './watchConnection.ts'

const nats = withNats()
const partitions = 4

it('of the partitions that a node takes over those are loaded first for which clients wait', async () => {
  const [nc, clients, folder] = await Promise.all([
    connect({ servers: nats().url }),
    connect({ servers: nats().url }),
    temporaryFolder(),
  ])
  onTestFinished(async () => {
    await Promise.all([nc.close(), clients.close(), folder.remove()])
  })
  const create = { partitions, replicas: 1, recordMs: 3_600_000, recordBytes: 2 ** 30 }
  const log = await openLog(nc, { name: 'order', create })
  const loads: number[] = []
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  /** A log whose first partition to be loaded waits. */
  const gated = (part: PartitionLog): PartitionLog => {
    const { checkpoints } = part
    const list = async (): Promise<number[]> => {
      loads.push(part.partition)
      await gate
      return checkpoints.list()
    }
    const waiting: CheckpointStore = {
      list,
      get: (seq) => checkpoints.get(seq),
      size: (seq) => checkpoints.size(seq),
      put: (seq, bytes) => checkpoints.put(seq, bytes),
      delete: (seq) => checkpoints.delete(seq),
    }
    return new Proxy(part, {
      get: (target, name) => {
        if (name === 'checkpoints') return waiting
        const value = Reflect.get(target, name) as unknown
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }
  const slow: Log = { ...log, meta: log.meta, partition: async (n) => gated(await log.partition(n)) }
  const states: string[] = []
  const logger: Logger = (_, what, { partition, state } = {}) => {
    if (what === 'partition') states.push(`${String(partition)} ${String(state)}`)
  }
  const node = await startNode({
    nats: nc,
    connection: watchConnection(nc, logger),
    log: slow,
    dataDir: folder.path,
    logger,
    deadAfterMs: undefined,
    weight: 1,
    zone: '',
    link: 'off',
    isStandby: false,
  })
  onTestFinished(() => node.close())
  await waitUntil(() => states.filter((state) => state.endsWith('Recovering')).length === partitions)
  const requester = requestCommands(clients, { log: 'order' })
  onTestFinished(() => requester.close())
  const wanted = [3, 2, 1, 0].filter((partition) => partition !== loads[0])
  for (const [at, partition] of wanted.entries())
    for (let requests = wanted.length - at; requests > 0; requests--) {
      const { answers } = await requester.request(partition, [{ type: 'DescribePartition' }], {
        timeoutMs: 2_000,
      })
      expect(answers[0]!.error).toMatchObject({ id: 'NotOwner' })
    }
  open()
  await waitUntil(() => states.filter((state) => state.endsWith('Active')).length === partitions)
  expect([...new Set(loads)]).toEqual([loads[0], ...wanted])
})
