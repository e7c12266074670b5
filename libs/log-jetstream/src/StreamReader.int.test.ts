import { connect, requireJetStream } from '@kiroku/nats'
import { withNats } from '@kiroku/testkit'
import type { JetStreamManager } from '@nats-io/jetstream'
import { headers, type NatsConnection } from '@nats-io/nats-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ByteBudget } from './ByteBudget.ts'
import { StreamReader } from './StreamReader.ts'

const nats = withNats()
let nc: NatsConnection
let jsm: JetStreamManager
beforeAll(async () => {
  nc = await connect({ servers: nats().url })
  jsm = await requireJetStream(nc)
})
afterAll(() => nc.close())

/** A stream of five records. */
const given = async (stream: string, allow_direct: boolean): Promise<StreamReader> => {
  await jsm.streams.add({ name: stream, subjects: [`at.${stream}`], allow_direct })
  for (let n = 1; n <= 5; n++) await nc.request(`at.${stream}`, `${n}`)
  return new StreamReader(nc, jsm, stream, `at.${stream}`, new ByteBudget(1e9))
}
const seqsOf = async (reader: StreamReader, from: number, to: number): Promise<number[]> => {
  const seqs: number[] = []
  for await (const { seq } of reader.range(from, to)) seqs.push(seq)
  return seqs
}

test('what a replica lacks in the middle is read from the leader, in its place', async () => {
  const reader = await given('lagging', false)
  // The stream answers no direct gets itself: this one does, and does not have the third record.
  nc.subscribe('$JS.API.DIRECT.GET.lagging', {
    callback: (_, msg) => {
      const { seq, batch } = msg.json<{ seq: number; batch: number }>()
      for (let n = seq; n < seq + batch && n <= 5; n++) {
        if (n === 3) continue
        const h = headers()
        h.set('Nats-Sequence', `${n}`)
        h.set('Nats-Time-Stamp', new Date().toISOString())
        msg.respond(`${n}`, { headers: h })
      }
      msg.respond('', { headers: headers(204, 'EOB') })
    },
  })
  expect(await seqsOf(reader, 1, 5)).toEqual([1, 2, 3, 4, 5])
})

test('a range whose records are gone is empty, whatever follows it', async () => {
  const reader = await given('gone', true)
  await jsm.streams.deleteMessage('gone', 3)
  expect(await seqsOf(reader, 3, 3)).toEqual([])
  expect(await seqsOf(reader, 2, 4)).toEqual([2, 4])
})

test('a range that cannot be read is an error, not the end of the log', async () => {
  const reader = await given('silent', false)
  nc.subscribe('$JS.API.DIRECT.GET.silent', {
    callback: (_, msg) => void msg.respond('', { headers: headers(408, 'Request Timeout') }),
  })
  await expect(seqsOf(reader, 1, 5)).rejects.toMatchObject({ id: 'NatsUnreachable' })
})
