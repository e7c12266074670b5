import { connect as open, type Socket } from 'node:net'
import { connect } from '@kiroku/client-nats'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { CommandLine } from './CommandLine.ts'

/** Connections that do not ask anything. */
class Crowd {
  readonly #sockets: Socket[] = []
  closed = 0

  come(url: URL, many: number): void {
    for (let n = 0; n < many; n++)
      this.#sockets.push(
        open(Number(url.port), url.hostname)
          .on('error', () => {})
          .on('close', () => this.closed++),
      )
  }

  go(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy()
  }
}

it(
  '[SEC-03] an engine that may open few files says so, serves those who are there beside a crowd, and others once it has gone',
  { timeout: 120_000 },
  async () => {
    await using cli = await CommandLine.open()
    cli.openFilesMax = 250
    const engine = await cli.engine(['up', '--log-level', 'warn', '--partitions', '1'])
    cli.openFilesMax = undefined
    expect(engine.stderr()).toMatch(
      /fewer connections to the API than set set=10000 taken=150 why=".*250 files/,
    )
    const client = await connect({ servers: engine.nats })
    await client.queues.create('orders')
    const answers = async () => (await fetch(`${engine.api}/health/ready`)).status
    const works = async () => {
      await client.send('orders', 'x')
      const [message] = await client.receive('orders')
      await message!.ack()
    }
    expect(await answers()).toBe(200)

    const crowd = new Crowd()
    crowd.come(new URL(engine.api), 600)
    await waitUntil(() => crowd.closed >= 400, {
      timeoutMs: 30_000,
      what: 'those beyond the limit are refused',
    })
    await works()
    crowd.go()
    await waitUntil(() =>
      answers().then(
        (status) => status === 200,
        () => false,
      ),
    )

    crowd.come(new URL(engine.nats), 600)
    await works()
    crowd.go()
    const other = await waitUntil(() => connect({ servers: engine.nats, link: 'off' }), { timeoutMs: 30_000 })
    expect(await other.queues.list()).toMatchObject([{ counts: { sent: 2, committed: 2 } }])
    await other.close()
    await client.close()
    expect(engine.child.exitCode).toBeNull()
  },
)
