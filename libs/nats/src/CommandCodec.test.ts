import type { Command, Delivery, Reply } from '@kiroku/protocol'
import fc from 'fast-check'
import { Packr } from 'msgpackr'
import { describe, expect, it } from 'vitest'
import {
  commandPieces,
  decodeCommands,
  decodeReply,
  encodeCommands,
  encodeError,
  encodeReply,
  replyPieces,
} from './CommandCodec.ts'

const by = { name: 'local', origin: 'test' }
const items = [{ queue: 1, sub: 0, delivery: 7, numbers: [4, 2, 9, 1] }]
const commands: readonly Command[] = [
  {
    type: 'Enqueue',
    queue: 'mail',
    producer: 'p',
    send: 1,
    messages: [new Uint8Array([0, 1, 255])],
    delaysMs: [-1],
  },
  { type: 'Receive', queue: 'mail', poll: 'a.1', max: 10, waitMs: 20_000, mode: 'push', consumer: 'c' },
  { type: 'CancelReceive', poll: 'a.1' },
  { type: 'Ack', items },
  { type: 'Retry', items, delayMs: 86_400_000, error: 'no such table' },
  { type: 'Extend', items, leaseMs: 30_000 },
  { type: 'Release', items },
  { type: 'Release', items, delayMs: 30_000, error: 'HTTP 429', holdSubscription: true },
  { type: 'DeadLetter', items },
  { type: 'CreateQueue', queue: 'mail', config: { retriesMax: 3, deadLetter: null }, by },
  { type: 'ConfigureQueue', queue: 'mail', config: { retry: { kind: 'list', delaysMs: [1, 2] } }, by },
  { type: 'DeleteQueue', queue: 'mail', by },
  { type: 'PurgeQueue', queue: 'mail', by },
  { type: 'PauseDelivery', queue: 'mail', by },
  { type: 'ResumeDelivery', queue: 'mail', by },
  {
    type: 'StartRedrive',
    queue: 'dead',
    request: 'r',
    to: { partition: 1, queue: 2, name: 'mail' },
    filter: { error: 'x', attributes: { a: 'b' } },
    rateMax: 5,
    dryRun: true,
    by,
  },
  { type: 'StartRedrive', queue: 'dead', request: 'r', to: 'origin', by },
  { type: 'CancelRedrive', queue: 'dead', task: 1, by },
  { type: 'DescribeRedrives', queue: 'dead' },
  { type: 'DescribeQueue', queue: 'mail' },
  { type: 'ListQueues' },
  { type: 'DescribePartition' },
  {
    type: 'Forward',
    from: { partition: 1, queue: 2 },
    target: 3,
    forward: 4,
    messages: [new Uint8Array(3)],
    enqueuedAt: [1_763_000_000_000],
  },
]

/** A message of the present version, whatever it holds. */
const packed = (content: unknown): Uint8Array =>
  new Packr({ useRecords: false, int64AsType: 'number' }).pack([1, content])

const thrownId = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return (error as { id: string }).id
  }
}

describe('commands on the wire', () => {
  it('arrive as they were sent', () => {
    const arrived = decodeCommands(encodeCommands(commands))
    expect(arrived.map((command) => ({ ...command, ...plainBytes(command) }))).toEqual(
      commands.map((command) => ({ ...command, ...plainBytes(command) })),
    )
  })

  it('are refused as malformed when they are garbage, cut or of another version', () => {
    const whole = encodeCommands(commands)
    const garbage = [
      new Uint8Array(0),
      new Uint8Array(100),
      new TextEncoder().encode('{"type":"Ack"}'),
      whole.subarray(0, whole.length - 5),
      Uint8Array.from(whole, (byte, i) => (i === 1 ? 2 : byte)),
      encodeReply({ epoch: 1, seq: 1, answers: [] }),
      encodeCommands([]),
    ]
    for (const bytes of garbage) expect(thrownId(() => decodeCommands(bytes))).toBe('MalformedRequest')
  })

  it('are refused as malformed when a field is missing or of another kind', () => {
    const wrong: unknown[] = [
      { type: 'Explode' },
      { type: 'StartRedrive', queue: 'dead', request: 'r', to: 'nowhere', by },
      { type: 'StartRedrive', queue: 'dead', request: 'r', to: { name: 'mail' }, by },
      { type: 'toString' },
      { type: 'Ack' },
      { type: 'Ack', items: [{ queue: 1, sub: 0, delivery: 7, numbers: ['4'] }] },
      { type: 'Enqueue', queue: 'mail', producer: 'p', send: 1, messages: ['text'] },
      { type: 'Enqueue', queue: 'mail', producer: 'p', send: NaN, messages: [] },
      { type: 'Receive', queue: 'mail', poll: 'a', max: 1, mode: 'pull', consumer: 'c' },
      { type: 'DeleteQueue', queue: 'mail' },
      null,
      7,
    ]
    for (const command of wrong)
      expect(thrownId(() => decodeCommands(packed([command])))).toBe('MalformedRequest')
  })
})

describe('replies on the wire', () => {
  it('arrive as they were sent', () => {
    const reply: Reply = {
      epoch: 3,
      seq: 99,
      answers: [
        { ok: { queue: 1, first: 2, count: 3 } },
        { error: { id: 'Busy', message: 'full', retryAfterMs: 50 } },
      ],
    }
    expect(decodeReply(encodeReply(reply))).toEqual(reply)
  })

  it('throw the error of a whole request', () => {
    const bytes = encodeError({ id: 'NotOwner', message: 'moved', retryAfterMs: 10 })
    expect(() => decodeReply(bytes)).toThrow(expect.objectContaining({ id: 'NotOwner', retryAfterMs: 10 }))
  })
})

describe('large bodies on the wire', () => {
  // Around the size from which on they are pieces of their own, and around that where their length takes more bytes.
  const length = fc.constantFrom(0, 1, 4_095, 4_096, 4_097, 65_535, 65_536, 70_000)
  const bodies = fc
    .array(length, { maxLength: 6 })
    .map((lengths) => lengths.map((bytes, i) => new Uint8Array(bytes).fill(i + 1)))

  it('are sent as if they were packed among the rest, from where they lie', () => {
    fc.assert(
      fc.property(fc.array(bodies, { minLength: 1, maxLength: 4 }), (each) => {
        const sends = each.map((messages, send): Command => ({
          type: 'Enqueue',
          queue: 'mail',
          producer: 'p',
          send,
          messages,
          delaysMs: [1],
        }))
        const pieces = commandPieces(sends)
        expect(Buffer.concat(pieces).equals(packed(sends))).toBe(true)
        const reply: Reply = {
          epoch: 1,
          seq: 2,
          answers: each.map((messages, i) =>
            i === 1
              ? { error: { id: 'Busy', message: 'full' } }
              : { ok: { delivery: { queue: 1, messages, attempts: [1] } as unknown as Delivery } },
          ),
        }
        const answered = replyPieces(reply)
        expect(Buffer.concat(answered).equals(packed(reply))).toBe(true)
        for (const body of each.flat()) expect(pieces.includes(body)).toBe(body.length >= 4_096)
      }),
      { seed: 1, numRuns: 50 },
    )
  })
})

const plainBytes = (command: Command) =>
  'messages' in command ? { messages: command.messages.map((bytes) => [...bytes]) } : {}
