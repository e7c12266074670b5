import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { importTrace, parseActFilter, parseMoment, parseProof, parseSpan, parseStates } from '@kiroku/audit'
import { parseFilter, parseMomentFilter } from '@kiroku/audit/filter'
import { parseTokens } from '@kiroku/doors'
import {
  checkQueueName,
  messageId,
  parseBytes,
  parseDurationMs,
  parseMessageId,
  parseReceipt,
  parseRetryPolicy,
  parseSetting,
  parseStart,
  queueSettings,
  receipt,
} from '@kiroku/protocol'
import { readWranglerConfig } from '@kiroku/worker'
import { readLocated, where } from '@kiroku/worker/located'
import type { TextCodec } from './Codec.ts'

const nowMs = Date.UTC(2026, 0, 1)
const place = { incarnation: 'f6389e33', partition: 3, queue: 17, number: 4_711 }

/** A reader that gives back what it was given. */
const exact = (what: string, text: string, written: string): void => {
  if (written !== text.replaceAll(/-0+(?=[0-9a-z])/g, '-'))
    throw new Error(`the ${what} ${text} became ${written}`)
}

const filters = [
  'state:dlq queue:"my orders" -error:timeout*',
  'attempt:>=3 since:2h until:2026-11-21T14:00 group:a,b',
  'id:f6389e33-2-1-1 payload.customer.id:42 attribute.kind:x partition:0',
]
const moments = ['1234', '3/1234', '2026-11-21T14:02:31Z', '14:02:31', '5m', '1.5h', '2026-11-21']
const tokens = `# who may\nann:admin:sixteen-characters-and-more until=2027-01-31\nvic:viewer:sha256:${'0a'.repeat(32)}\n`
const wrangler = {
  name: 'shop',
  main: 'src/index.ts',
  vars: { A: 'b' },
  queues: {
    producers: [{ binding: 'MAIL', queue: 'mail', delivery_delay: 5 }],
    consumers: [{ queue: 'mail', max_batch_size: 10, max_retries: 3, dead_letter_queue: 'dead' }],
  },
  env: { staging: { vars: { A: 'c' } } },
}
const wranglerToml = `name = "shop"
main = "src/index.ts"
[vars]
A = "b"
[[queues.producers]]
binding = "MAIL"
queue = "mail"
[[queues.consumers]]
queue = "mail"
max_batch_size = 10
retry_delay = 5
`
const queueFile = `{
  // queues of the shop
  "http": "127.0.0.1:8480",
  "queues": { "mail": { "lease": "30s", "retry": "list:1s,1m", "subscriptions": { "audit": { "tags": ["a"] } } }, },
}`
const settingTexts: Readonly<Record<string, string>> = {
  duration: '30s',
  bytes: '64KiB',
  count: '3',
  retry: 'exponential:1s,2,10m,0.2',
  queue: 'dead',
  schema: '{"type":"object"}',
}

/** What reads texts. `folder`: where files for readers of files may lie. `proof` and `trace`: files of a log. */
export const textCodecs = (
  folder: string,
  { proof, trace }: { readonly proof: string; readonly trace: string },
): readonly TextCodec[] => {
  const text = (name: string, samples: readonly string[], read: TextCodec['read']): TextCodec => ({
    kind: 'text',
    name,
    samples,
    read,
  })
  const wranglerFile = (name: string, samples: readonly string[]): TextCodec =>
    text(name, samples, async (content) => {
      const file = path.join(folder, name)
      writeFileSync(file, content)
      await readWranglerConfig(file)
      await readWranglerConfig(file, { env: 'staging' })
    })
  return [
    text('message id', [messageId(place)], (id) => exact('id', id, messageId(parseMessageId(id)))),
    text('receipt', [receipt({ ...place, sub: 1, delivery: 99 })], (id) =>
      exact('receipt', id, receipt(parseReceipt(id))),
    ),
    text('queue name', ['orders', 'a.fifo', 'A-b_9'], checkQueueName),
    text('duration', ['30s', '1.5h', '250ms', '7d', '0'], (each) => parseDurationMs(each, 'lease')),
    text('size', ['64KiB', '1.5MB', '123', '20GiB'], (each) => parseBytes(each, 'record-bytes')),
    text('retry policy', ['30s', 'exponential:1s,2,10m,0.2', 'list:1s,1m,10m', 'rocketmq'], (each) =>
      parseRetryPolicy(each, 'retry'),
    ),
    text(
      'setting of a queue',
      Object.values(queueSettings).map((row) =>
        'choices' in row ? row.choices[0]! : settingTexts[row.kind]!,
      ),
      (each) => {
        let thrown: unknown
        // One row's error must not hide what another row makes of the text.
        for (const row of Object.values(queueSettings))
          try {
            parseSetting(row, each, 'setting')
          } catch (error) {
            if (thrown === undefined || !(error instanceof Error && 'id' in error)) thrown = error
          }
        if (thrown !== undefined) throw thrown as Error
      },
    ),
    text('start position', ['latest', '42', '2026-11-21 14:00', '2h'], (each) =>
      parseStart(each, 'from', { nowMs, offsetMs: () => 3_600_000 }),
    ),
    text('filter', filters, (each) => parseFilter(each, nowMs)),
    text('filter of a moment', ['state:ready attempt:2', 'group:a'], (each) =>
      parseMomentFilter(each, nowMs),
    ),
    text('moment', moments, (each) => parseMoment(each, 'at', nowMs)),
    text('span', moments, (each) => parseSpan(each, nowMs)),
    text('states', ['ready', 'dlq,discarded', 'live'], (each) => parseStates(each, 'state')),
    text('filter of acts', moments, (each) => parseActFilter({ since: each, until: each }, nowMs)),
    text('proof', [proof], parseProof),
    text('exported trace', [trace], importTrace),
    text('tokens', [tokens], parseTokens),
    text('queue file', [queueFile], (each) =>
      where(readLocated('kiroku.jsonc', each), ['queues', 'mail', 'lease']),
    ),
    wranglerFile('wrangler.jsonc', [JSON.stringify(wrangler), JSON.stringify(wrangler, undefined, 2)]),
    wranglerFile('wrangler.toml', [wranglerToml]),
  ]
}
