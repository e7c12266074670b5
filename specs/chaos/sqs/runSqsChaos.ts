import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startServer } from '@kiroku/nats-server'
import { freePort, waitUntil } from '@kiroku/testkit'
import { EngineProcess } from '../EngineProcess.ts'
import { seeded } from '../random.ts'
import { verifyLog } from '../verifyLog.ts'
import { SqsTraffic } from './SqsTraffic.ts'

/** Sends that are acknowledged in every round, after its kill. */
const sendsPerRound = 100
/** What takes longer than this counts as hanging, in ms. */
const hangMs = 60_000

/** What came of it. */
export interface SqsChaosResult {
  readonly rounds: number
  readonly acknowledged: number
  readonly lost: readonly string[]
  readonly violations: readonly string[]
  readonly verified: boolean
}

/**
 * The engine, its nats-server and the door for Amazon SQS, each in a process of its own and killed without warning in turn, while the official
 * client sends, receives and deletes. Errors: an `Error` when something hangs.
 */
export const runSqsChaos = async (options: {
  readonly rounds: number
  readonly seed: number
  readonly folder: string
  readonly progress: (line: string) => void
}): Promise<SqsChaosResult> => {
  const { rounds, folder, progress } = options
  const random = seeded(options.seed)
  await using stack = new AsyncDisposableStack()
  const server = await startServer({ dataDir: join(folder, 'nats') })
  stack.defer(() => server.stop())
  const url = server.url
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const engine = new EngineProcess({ name: 'engine', url, folder, partitions: 2 })
  const command = ['door', 'sqs', '--sqs', `127.0.0.1:${port}`]
  const door = new EngineProcess({ name: 'door', url, folder, partitions: 2, command })
  for (const process of [engine, door]) {
    stack.defer(() => process.kill())
    process.start()
  }
  const traffic = new SqsTraffic(endpoint)
  stack.defer(() => traffic.stop())
  const { witness } = traffic
  const within = { timeoutMs: hangMs }
  const answers = async () => (await fetch(`${endpoint}/?Action=ListQueues`)).status === 200
  await waitUntil(answers, { ...within, what: 'the door answers' })
  await traffic.create()
  traffic.start()

  const again = (process: EngineProcess) => async (): Promise<void> => {
    await process.end('SIGKILL')
    await pause(random.int(300))
    process.start()
  }
  const kills = {
    engine: again(engine),
    door: again(door),
    'nats-server': async () => {
      await server.kill('SIGKILL')
      await pause(random.int(300))
      await server.restart()
    },
  }
  const names = Object.keys(kills) as (keyof typeof kills)[]
  for (let round = 1; round <= rounds; round++) {
    const name = names[(round - 1) % names.length]!
    const killAt = witness.acknowledged + random.int(sendsPerRound)
    await waitUntil(() => witness.acknowledged > killAt, within)
    await kills[name]()
    const since = witness.acknowledged
    await waitUntil(() => witness.acknowledged >= since + sendsPerRound, {
      ...within,
      what: `sends are acknowledged after kill -9 of the ${name}`,
    })
    progress(
      `round ${round} of ${rounds}: kill -9 of the ${name}, ${witness.acknowledged} sends acknowledged`,
    )
  }
  await traffic.stopSending()
  await waitUntil(() => witness.pending.length === 0, {
    ...within,
    what: 'everything is received and deleted',
  })
  await traffic.stop()
  const { ok } = await verifyLog([url])
  return {
    rounds,
    acknowledged: witness.acknowledged,
    lost: witness.lost,
    violations: witness.violations,
    verified: ok,
  }
}
