import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseFilter } from '@kiroku/audit'
import type { Log } from '@kiroku/log'
import { encodeEnvelope, KirokuError } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine } from '@kiroku/testkit/engine'
import { expect, it, onTestFinished } from 'vitest'
import { Auditor } from './Auditor.ts'

it(
  'asks partitions without news less and less, hears of news by itself, and asks all of them when a question comes',
  { timeout: 30_000 },
  async () => {
    const engine = await startMemoryEngine({ partitions: 1 })
    onTestFinished(() => engine.close())
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'kiroku-auditor-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    /** When the end of the log was asked for, in ms. */
    const askedMs: number[] = []
    const log: Log = {
      ...engine.log,
      meta: engine.log.meta,
      partition: async (n) =>
        new Proxy(await engine.log.partition(n), {
          get: (target, name) => {
            if (name === 'state') askedMs.push(performance.now())
            const value = Reflect.get(target, name) as unknown
            return typeof value === 'function' ? value.bind(target) : value
          },
        }),
    }
    const auditor = new Auditor({ log, dataDir, decodeCheckpoint, onTrouble: () => {} })
    const running = auditor.run()
    onTestFinished(() => auditor.stop())
    const request = (...commands: Parameters<ReturnType<typeof engine.node>['request']>[1]) =>
      engine.node().request(0, commands)
    const by = { name: 'ann', origin: 'test' }
    await request({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    const rests = (): number => askedMs.at(-1)! - (askedMs.at(-2) ?? askedMs.at(-1)!)
    await waitUntil(() => rests() > 700, { timeoutMs: 20_000 })

    const reached = () => auditor.status.partitions[0]!.seq
    const readUpTo = reached()
    await request({ type: 'CreateQueue', queue: 'news', config: {}, by })
    await waitUntil(() => reached() > readUpTo)

    await waitUntil(() => rests() > 700, { timeoutMs: 20_000 })
    const before = askedMs.length
    await request({
      type: 'Enqueue',
      queue: 'mail',
      producer: 'p',
      send: 1,
      messages: [encodeEnvelope(new TextEncoder().encode('{}'))],
    })
    const found = await auditor.ask('search', { filter: parseFilter('queue:mail', 0) }, { principal: 'ann' })
    expect(found.messages).toHaveLength(1)
    // It was looked for now, not by chance.
    expect(askedMs.length).toBeLessThanOrEqual(before + 4)
    await auditor.stop()
    await running
  },
)

it.each([
  ['reports a log that does not answer once', 'NatsUnreachable', 1],
  ['reports every partition that is damaged', 'LogDamaged', 3],
] as const)(
  '%s, and catches up once it can read again',
  async (_, id, times) => {
    const engine = await startMemoryEngine({ partitions: 3 })
    onTestFinished(() => engine.close())
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'kiroku-auditor-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    let fails = true
    const log: Log = {
      ...engine.log,
      meta: engine.log.meta,
      partition: (n) =>
        fails ? Promise.reject(new KirokuError(id, `partition ${n}`)) : engine.log.partition(n),
    }
    const told: number[] = []
    const onTrouble = (partition: number) => void told.push(partition)
    const auditor = new Auditor({ log, dataDir, decodeCheckpoint, onTrouble })
    const running = auditor.run()
    onTestFinished(() => auditor.stop())
    const troubles = () => auditor.status.partitions.filter(({ trouble }) => trouble !== undefined).length
    await waitUntil(() => troubles() === 3)
    expect(told).toHaveLength(times)
    fails = false
    await waitUntil(() => auditor.status.partitions.every(({ seq }) => seq > 0), { timeoutMs: 20_000 })
    expect(troubles()).toBe(0)
    await auditor.stop()
    await running
  },
  30_000,
)
