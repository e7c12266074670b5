import { isKirokuError, KirokuError, type Reply } from '@kiroku/protocol'
import { ManualTime } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import type { ClientOptions, Transport } from './index.ts'
import { counts, start } from './testing/startClient.ts'

const never = new Promise<never>(() => {})

/** A client of an engine that can be cut off, on a clock of its own. */
const startCut = async (options: ClientOptions = {}) => {
  const time = new ManualTime()
  let cut: (() => Promise<Reply>) | undefined
  const way = (transport: Transport): Transport => ({
    ...transport,
    request: (partition, commands, asked) =>
      cut !== undefined && commands[0]?.type === 'Enqueue'
        ? cut()
        : transport.request(partition, commands, asked),
    outage: () => Promise.resolve(new KirokuError('NoQuorum', 'JetStream has no leader')),
  })
  const started = await start({ clock: time, ...options }, way)
  await started.client.queues.create('mail')
  const send = (body: string) => {
    const state: { error?: KirokuError; isStored?: true; ms?: number } = {}
    const begunMs = time.now()
    started.client.send('mail', body).then(
      () => (state.isStored = true),
      (error: unknown) => {
        state.ms = time.now() - begunMs
        if (isKirokuError(error)) state.error = error
      },
    )
    return state
  }
  return { ...started, time, send, fails: (how: typeof cut) => void (cut = how) }
}

it('a send that nobody answers fails within 5 s, with the reason, and may still be stored', async () => {
  const { time, send, fails } = await startCut()
  fails(() => never)
  const sent = send('x')
  await time.advance(3_900)
  expect(sent).toEqual({})
  await time.advance(1_000)
  expect(sent.ms).toBeLessThan(5_000)
  expect(sent.error).toMatchObject({ id: 'Unavailable', retryable: true })
  expect(sent.error!.message).toBe(
    'No answer for a send to "mail": JetStream has no leader; it may still be stored',
  )
})

it('a send that no request took fails too, was not stored, and never will be', async () => {
  const { client, time, send, fails } = await startCut()
  fails(() => never)
  const sends = []
  for (let i = 0; i < 6; i++) {
    sends.push(send(`${i}`))
    await time.advance(1)
  }
  await time.advance(5_000)
  expect(sends.map(({ error }) => error?.message.split('; ')[1])).toEqual([
    ...Array<string>(4).fill('it may still be stored'),
    ...Array<string>(2).fill('it was not stored'),
  ])
  fails(undefined)
  await time.advance(60_000)
  expect((await counts(client, 'mail')).sent).toBe(0)
  expect((await client.send('mail', 'later')).messageId).toEqual(expect.any(String))
})

it('a send whose repeats all fail for want of NATS fails likewise, and is not repeated any more', async () => {
  const { client, time, send, fails } = await startCut()
  fails(() => Promise.reject(new KirokuError('NatsUnreachable', 'There is no connection to NATS')))
  const sent = send('x')
  await time.advance(5_000)
  expect(sent.error).toMatchObject({ id: 'Unavailable' })
  fails(undefined)
  await time.advance(60_000)
  expect((await counts(client, 'mail')).sent).toBe(0)
})

it('a send that an owner does not take, since its log confirms nothing, fails likewise', async () => {
  const { time, send, fails } = await startCut()
  const error = new KirokuError('Unavailable', 'partition 0 has stored nothing for 9 s').toWire()
  fails(() => Promise.resolve({ epoch: 1, seq: 9, answers: [{ error }] }))
  const sent = send('x')
  await time.advance(5_000)
  expect(sent.error!.message).toBe(
    'No answer for a send to "mail": JetStream has no leader; it was not stored',
  )
})

it('a send waits while its partition moves', async () => {
  const { client, time, send, fails } = await startCut()
  fails(() => Promise.reject(new KirokuError('Unavailable', 'No engine serves partition 0')))
  const sent = send('x')
  await time.advance(60_000)
  expect(sent).toEqual({})
  fails(undefined)
  await time.advance(10_000)
  expect(sent).toEqual({ isStored: true })
  expect((await counts(client, 'mail')).sent).toBe(1)
})

it('a send waits as long as its caller says, also longer', async () => {
  const { time, send, fails } = await startCut({ sendTimeoutMs: 60_000 })
  fails(() => never)
  const sent = send('x')
  await time.advance(59_000)
  expect(sent).toEqual({})
  await time.advance(1_500)
  expect(sent.error).toMatchObject({ id: 'Unavailable' })
})

it('a client closes without waiting for what it gave up', async () => {
  const { client, time, send, fails } = await startCut()
  fails(() => never)
  send('x')
  await time.advance(5_000)
  await client.close()
})

it('a send waits no longer for the directory of the log than for its answer', async () => {
  const time = new ManualTime()
  const { client } = await start({ clock: time }, (transport) => ({ ...transport, directory: () => never }))
  const failed = client.send('mail', 'x').catch((error: unknown) => error)
  await time.advance(5_000)
  expect(await failed).toMatchObject({
    id: 'Unavailable',
    message: expect.stringMatching(/nobody has answered .*; it was not stored$/) as string,
  })
})
