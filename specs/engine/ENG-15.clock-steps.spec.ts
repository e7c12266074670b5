import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '@kiroku/client-nats'
import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'
import { CommandLine } from '../security/CommandLine.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const steps = { 'an hour': hourMs, 'five days': 5 * dayMs } as const

describe('while an owner lives', () => {
  for (const [what, stepMs] of Object.entries(steps))
    for (const [whose, store, node] of [
      ['of its node', 0, 1],
      ['of NATS', 1, 0],
      ['of both', 1, 1],
    ] as const)
      it(`[ENG-15] a clock ${whose} that is put forward by ${what}, and back, changes nothing`, async () => {
        await using world = await createWorld()
        await world.queue('mail', { retentionMs: 4 * dayMs })
        await world.sendBatch('mail', ['leased', 'waits'])
        await world.receive('mail', { leaseMs: 600_000 })
        await world.send('mail', 'delayed', { delayMs: hourMs })
        const put = (byMs: number): void => {
          world.storeOffMs += store * byMs
          world.time.wallFromMs += node * byMs
        }
        const counts = () => world.counts('mail')

        put(stepMs)
        await world.advance('9 minutes')
        expect(await counts()).toMatchObject({ inflight: 1, available: 1, delayed: 1, discarded: 0 })
        await world.advance('61 seconds')
        expect(await counts()).toMatchObject({ inflight: 0, available: 2, delayed: 1, discarded: 0 })
        put(-2 * stepMs)
        await world.advance('49 minutes')
        expect(await counts()).toMatchObject({ available: 2, delayed: 1, discarded: 0 })
        await world.advance('1 minute')
        expect(await counts()).toMatchObject({ available: 3, delayed: 0, discarded: 0 })

        // The next owner begins behind the last certain time where a clock shows an earlier one.
        await world.restart('drain')
        await world.advance('10 seconds')
        expect(await counts()).toMatchObject({ available: 3, delayed: 0, discarded: 0 })
        const texts = (await world.receive('mail', { max: 10 })).map((message) => message.text())
        expect(texts.toSorted()).toEqual(['delayed', 'leased', 'waits'])
      })
})

describe('an engine of `kiroku up` whose own clock steps while it runs', () => {
  it('[ENG-15] loses nothing, and ends leases and delays in their time', { timeout: 120_000 }, async () => {
    await using cli = await CommandLine.open()
    const clock = path.join(cli.folder, 'clock')
    const put = (offMs: number): void => writeFileSync(clock, String(offMs))
    put(0)
    const preload = fileURLToPath(new URL('../chaos/steppingClock.ts', import.meta.url))
    const engine = await cli.engine(['up', '--log-level', 'warn', '--partitions', '1'], {
      NODE_OPTIONS: `--import ${preload}`,
      KIROKU_SPEC_CLOCK: clock,
    })
    const client = await connect({ servers: engine.nats })
    await client.queues.create('mail', { retentionMs: 4 * dayMs })
    await client.send('mail', 'leased')
    const beganMs = performance.now()
    await client.receive('mail', { leaseMs: 6_000 })
    await client.send('mail', 'delayed', { delayMs: 6_000 })
    const counts = async () => (await client.queues.describe('mail')).counts
    for (const offMs of [hourMs, -hourMs, 5 * dayMs, -5 * dayMs]) {
      put(offMs)
      const saysSo = async () => {
        const { nodeMs } = (await client.partitions())[0]!.clock!
        return Math.abs(nodeMs - Date.now() - offMs) < 60_000
      }
      await waitUntil(saysSo, { what: 'the engine has the other time' })
      await client.send('mail', `at ${offMs}`)
      if (performance.now() - beganMs < 5_000)
        expect(await counts()).toMatchObject({ inflight: 1, delayed: 1, discarded: 0 })
    }
    await waitUntil(async () => (await counts()).available === 6, { timeoutMs: 30_000 })
    expect(performance.now() - beganMs).toBeGreaterThan(5_900)
    expect(await counts()).toMatchObject({ sent: 6, inflight: 0, delayed: 0, discarded: 0 })
    const messages = await client.receive('mail', { max: 10 })
    expect(messages).toHaveLength(6)
    await client.ack(messages.map(({ receipt }) => receipt))
    await client.close()
    expect(await cli.output('verify')).toContain('sent 6 = live 0 + committed 6')
    expect(engine.stderr()).not.toContain('ERROR')
  })
})
