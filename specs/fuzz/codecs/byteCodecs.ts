import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { Replayer } from '@kiroku/audit/browser'
import { decodeCheckpoint } from '@kiroku/engine'
import { decodeRecord, isSealed, largeBodyOf, readSealed, writeSealed } from '@kiroku/log'
import { decodeCommands, decodeReply, encodeCommands, encodeError, encodeReply } from '@kiroku/nats'
import { bodyBytes, bodyOf, type Command, decodeEnvelope, encodeEnvelope } from '@kiroku/protocol'
import type { BytesCodec } from './Codec.ts'

/** Real bytes of a log. */
export interface LogBytes {
  readonly records: readonly Uint8Array[]
  readonly checkpoints: readonly Uint8Array[]
  readonly recordings: readonly Uint8Array[]
}

/** As `RecordLayout` of the log says: the checksum of all but itself. */
const resealRecord = (bytes: Buffer): void => {
  if (bytes.length >= 8) bytes.writeUInt32LE(crc32(bytes.subarray(8), crc32(bytes.subarray(0, 4))), 4)
}

/** A checkpoint has four bytes of magic, then the digest of the rest. */
const resealCheckpoint = (bytes: Buffer): void => {
  if (bytes.length > 36) bytes.set(hash('sha256', bytes.subarray(36), 'buffer'), 4)
}

const by = { name: 'ann', origin: 'cli', reason: 'why not' }
const commands: readonly Command[] = [
  { type: 'Enqueue', queue: 'mail', producer: 'p', send: 1, messages: [encodeEnvelope(Buffer.from('x'))] },
  {
    type: 'Receive',
    queue: 'mail',
    poll: 'a',
    max: 10,
    mode: 'push',
    consumer: 'c',
    waitMs: 100,
    leaseMs: 1,
  },
  { type: 'CreateQueue', queue: 'mail', config: { retriesMax: 3, deadLetter: null }, by },
  { type: 'PauseDelivery', queue: 'mail', by },
  { type: 'Recall', queue: 1, number: 2, producer: 'p', send: 3, by },
]
const envelope = encodeEnvelope(Buffer.from('{"a":1}'), {
  attributes: { kind: 'order' },
  contentType: 'application/json',
  group: 'g',
  lineage: {
    messageId: 'f6389e33-2-1-1',
    queue: 'mail',
    attempts: 4,
    cause: 'exhausted',
    error: 'timeout',
    enqueuedAt: 1,
    passed: ['0/1', '2/3'],
  },
})

/** What reads bytes. */
export const byteCodecs = ({ records, checkpoints, recordings }: LogBytes): readonly BytesCodec[] => {
  const bytes = (
    name: string,
    samples: readonly Uint8Array[],
    read: BytesCodec['read'],
    reseal?: BytesCodec['reseal'],
  ): BytesCodec => ({ kind: 'bytes', name, samples, read, ...(reseal === undefined ? {} : { reseal }) })
  return [
    bytes(
      'record',
      records,
      (each) => {
        const record = decodeRecord(each)
        if (record.kind === 'body') return record.body
        for (const event of record.events)
          if (typeof event.type !== 'string') throw new Error('an event without type')
        return record.sections
      },
      resealRecord,
    ),
    bytes('large body', records, largeBodyOf, resealRecord),
    bytes('checkpoint', checkpoints, decodeCheckpoint, resealCheckpoint),
    bytes('recording', recordings, (each) => Replayer.open(each).position),
    bytes(
      'commands',
      [encodeCommands(commands), ...commands.map((each) => encodeCommands([each]))],
      decodeCommands,
    ),
    bytes(
      'reply',
      [
        encodeReply({ epoch: 1, seq: 2, answers: [{ ok: { queue: 1, first: 1, count: 1 } }] }),
        encodeError({ id: 'Busy', message: 'later', retryAfterMs: 100 }),
      ],
      decodeReply,
    ),
    bytes('envelope', [envelope, encodeEnvelope(Buffer.from('x'))], (each) => {
      decodeEnvelope(each)
      bodyOf(each)
      return bodyBytes(each)
    }),
    bytes(
      'sealed message',
      [writeSealed({ head: { keys: ['m/1', 'g/2'], meta: { tag: 'a' } }, box: Buffer.alloc(40, 7) })],
      (each) => (isSealed(each) ? readSealed(each) : undefined),
    ),
  ]
}
