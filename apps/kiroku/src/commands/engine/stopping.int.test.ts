import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { Kiroku, readyOf } from '../../testing/Kiroku.ts'

describe('stopping', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s drains within 10 s despite parked receives', async (signal) => {
    await using own = await temporaryFolder()
    const here = new Kiroku(own.path)
    const running = here.start(['up', '--http', '127.0.0.1:0', '--json'])
    try {
      const { api } = await readyOf(running)
      expect((await here.run(['queue', 'create', 'parked'])).exit).toBe(0)
      const receive = fetch(`${api}/v1/queues/parked/receive`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"waitMs":60000}',
      }).catch(() => undefined)
      const polled = async (): Promise<boolean> =>
        /kiroku_waiting_polls\{queue="parked"\} 1/.test(await (await fetch(`${api}/metrics`)).text())
      await waitUntil(polled, { what: 'the receive is parked' })
      const startedMs = performance.now()
      running.child.kill(signal)
      const { exit } = await running.finished
      await receive
      expect(exit).toBe(0)
      expect(performance.now() - startedMs).toBeLessThan(10_000)
    } finally {
      await here.killAll()
    }
  })

  it(
    'loses and duplicates nothing when the engine is killed in the middle of a send',
    { timeout: 120_000 },
    async () => {
      await using own = await temporaryFolder()
      const here = new Kiroku(own.path)
      try {
        const first = here.start(['up', '--http', '127.0.0.1:0', '--json'])
        await readyOf(first)
        expect((await here.run(['queue', 'create', 'safe'])).exit).toBe(0)
        const counts = async (): Promise<{ sent: number; available: number }> =>
          ((await here.run(['queue', 'show', 'safe', '--json'])).json() as { counts: never }).counts
        const lines = (from: number) =>
          Array.from({ length: 10_000 }, (_, i) => `{"i":${from + i}}\n`).join('')
        const sending = here.start(['send', 'safe', '--ndjson', '--json'], null)
        sending.child.stdin!.write(lines(0))
        await waitUntil(async () => (await counts()).sent > 0, { what: 'the first messages are stored' })
        first.child.kill('SIGKILL')
        sending.child.stdin!.end(lines(10_000))
        await first.finished
        const second = here.start(['up', '--http', '127.0.0.1:0', '--json'])
        await readyOf(second)
        const sent = await sending.finished
        // It may say that the engine was away, and that it is back.
        const absence = /^kiroku: (no answer from the engine, retrying|the engine answers again).*\n/gm
        expect(sent.stderr.replaceAll(absence, '')).toBe('')
        expect(sent.json()).toMatchObject({ sent: 20_000 })
        expect(await counts()).toMatchObject({ sent: 20_000, available: 20_000 })
        second.child.kill('SIGTERM')
        await second.finished
      } finally {
        await here.killAll()
      }
    },
  )
})
