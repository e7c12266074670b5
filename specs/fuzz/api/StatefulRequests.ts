import type { Chance } from '../Chance.ts'
import type { ApiRequest } from './ApiRequest.ts'

/** JSON source text. */
class Written {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const write = (value: unknown): string => {
  if (value instanceof Written) return value.text
  if (Array.isArray(value)) return `[${value.map((each) => write(each ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, each]) => each !== undefined)
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${write(each)}`).join(',')}}`
}

const oddValues: readonly unknown[] = [
  ...[0, 1, -1, 1.5, 2 ** 31, 2 ** 53, 1e15, null, true, '', 'x', '\u0000', '\ud800', '😀', [], {}, [1]],
  ...['1e999', '-1e999', '-0', '1e-400', '{"__proto__":{"x":1}}', '{"constructor":1}'].map(
    (t) => new Written(t),
  ),
  ...['main', '__proto__', 'constructor', 'a'.repeat(200), { a: 1 }, 100, 60_000],
]
/** Names that every object of JavaScript has are names like others. */
const queueNames = ['a', 'b', 'c', 'd', 'e', 'f', 'constructor', 'toString', '__proto__', 'Q-1']
const subscriptionNames = ['main', 's1', 's2', 'constructor', 'hasOwnProperty', '__proto__']
const moments = [
  '1',
  '0/1',
  '9/1',
  '1m',
  '99999999999d',
  '-1',
  '2026-11-23',
  '14:02',
  '9999-12-31',
  '',
  '1e9',
  '9'.repeat(30),
]
const counts = ['1', '10', '0', '-1', 'x', '', '1.5', '9'.repeat(20), 'NaN']
const filters = [
  'state:ready',
  'attempt:>1',
  'sent:>99999999999d',
  '(',
  '',
  'x:y',
  '"',
  '('.repeat(3_000),
  'not '.repeat(3_000),
]

/** Requests that know what the API answered to those before: valid ones among every kind of invalid value. */
export class StatefulRequests {
  readonly #chance: Chance
  readonly #receipts: string[] = []
  readonly #ids: string[] = []

  constructor(chance: Chance) {
    this.#chance = chance
  }

  /** Values from answers, for later requests. */
  learn(path: string, answer: unknown): void {
    const { messageId, messages = [] } = answer as {
      readonly messageId?: string
      readonly messages?: readonly { readonly receipt?: string }[]
    }
    if (path.endsWith('/messages') && messageId !== undefined) this.#ids.push(messageId)
    if (path.endsWith('/receive'))
      for (const { receipt } of messages) if (receipt !== undefined) this.#receipts.push(receipt)
    for (const known of [this.#ids, this.#receipts]) if (known.length > 60) known.splice(0, 20)
  }

  next(): ApiRequest {
    const q = `/v1/queues/${encodeURIComponent(this.#queue())}`
    const sub = `${q}/subscriptions/${encodeURIComponent(this.#pick(subscriptionNames))}`
    const id = `/v1/messages/${encodeURIComponent(this.#known(this.#ids)[0]!)}`
    const may = <A>(value: () => A): A | undefined => this.#may(value)
    const odd = () => this.#odd()
    const some = () => this.#number()
    const asked = (fields: Readonly<Record<string, readonly string[]>>) => this.#query(fields)
    const receipts = this.#known(this.#receipts)
    const all: readonly (() => readonly [method: string, path: string, body?: unknown])[] = [
      () => ['POST', '/v1/queues', { name: this.#queue(), settings: may(() => this.#settings()) }],
      () => ['POST', '/v1/queues', { name: this.#queue() }],
      () => ['PATCH', q, this.#settings()],
      () => ['DELETE', q],
      () => ['POST', `${q}/spread`, { partitions: this.#pick([1, 2, 3, odd()]) }],
      () => ['POST', `${q}/spread`, { partitions: this.#pick([1, 2]) }],
      () => ['POST', `${q}/${this.#pick(['purge', 'pause', 'resume', 'resume'])}`],
      () => [
        'POST',
        `${q}/erase`,
        { messageId: may(() => this.#known(this.#ids)[0]), group: may(odd), reason: 'r' },
      ],
      () => [
        'POST',
        `${q}/subscriptions`,
        { name: this.#pick(subscriptionNames), start: may(() => this.#start()) },
      ],
      () => ['POST', `${q}/subscriptions`, { name: this.#pick(subscriptionNames), settings: this.#own() }],
      () => ['PATCH', sub, { ...this.#own(), tags: may(() => this.#pick([['t1'], null, [], odd()])) }],
      () => ['DELETE', sub],
      () => ['POST', `${sub}/reset`, { start: may(() => this.#start()) }],
      () => ['POST', `${sub}/${this.#pick(['pause', 'resume'])}`],
      () => ['POST', `${q}/messages`, this.#message()],
      () => ['POST', `${q}/messages`, this.#message()],
      () => ['POST', `${q}/messages`, new Written(`{"body":${this.#deep()}}`)],
      () => ['POST', `${q}/messages`, { bodyBase64: btoa(this.#deep()), contentType: 'application/json' }],
      () => [
        'POST',
        `${q}/messages/batch`,
        { messages: [this.#message(), this.#message()], delayMs: may(some) },
      ],
      () => [
        'POST',
        `${q}/receive`,
        { max: may(() => this.#pick([5, 20, odd()])), waitMs: 0, leaseMs: may(some) },
      ],
      () => ['POST', `${q}/receive`, { max: 9, waitMs: 0, subscription: this.#pick(subscriptionNames) }],
      () => ['POST', '/v1/messages/ack', { receipts }],
      () => ['POST', '/v1/messages/retry', { receipts, delayMs: may(some), error: may(odd) }],
      () => ['POST', '/v1/messages/extend', { receipts, leaseMs: some() }],
      () => ['POST', `/v1/messages/${this.#pick(['release', 'dead-letter'])}`, { receipts }],
      () => ['POST', `${id}/recall`],
      () => ['POST', `${id}/reschedule`, { delayMs: may(some), at: may(odd) }],
      () => ['POST', `${id}/body`, { body: odd(), contentType: may(odd), reason: may(odd) }],
      () => [
        'POST',
        `${q}/redrives`,
        { to: may(() => this.#queue()), where: may(() => this.#pick(filters)), max: may(some) },
      ],
      () => ['POST', `${q}/redrives/cancel`, { task: may(some) }],
      () => [
        this.#pick(['POST', 'PATCH', 'PUT']),
        this.#pick(['/v1/queues', q, '/v1/messages/ack', `${q}/receive`]),
        new Written(this.#pick(['', '{', 'nul', '[]', '"x"', '\ufeff{}', '{"name":"a","name":"b"}'])),
      ],
      () => ['GET', '/v1/queues'],
      () => ['GET', '/v1/queues'],
      () => ['GET', q],
      () => ['GET', q + asked({})],
      () => ['GET', `${q}/groups${asked({ subscription: subscriptionNames, limit: counts })}`],
      () => ['GET', `${q}/redrives`],
      () => ['GET', `${q}/dead-letters${asked({ subscription: subscriptionNames, at: moments })}`],
      () => [
        'GET',
        `${q}/state${asked({ at: moments, states: ['ready', 'x', ''], where: filters, limit: counts, after: counts })}`,
      ],
      () => ['GET', `${q}/diff${asked({ a: moments, b: moments, limit: counts })}`],
      () => [
        'GET',
        `${q}/recording${asked({ from: moments, partition: counts, frames: counts, work: counts, state: ['1', 'x'] })}`,
      ],
      () => ['GET', `/v1/state${asked({ at: moments })}`],
      () => ['GET', `/v1/span${asked({ queue: queueNames })}`],
      () => ['GET', `/v1/search${asked({ q: filters, limit: counts, cursor: counts })}`],
      () => ['GET', `/v1/acts${asked({ queue: queueNames, since: moments, until: moments })}`],
      () => [
        'GET',
        `/v1/history${asked({ queue: queueNames, from: moments, to: moments, buckets: counts, by: queueNames })}`,
      ],
      () => ['GET', `${id}/trace`],
      () => ['GET', `${id}/body${asked({ reveal: ['1', 'x'], full: ['1', 'x'] })}`],
      () => [
        'GET',
        this.#pick([
          '/v1/cluster',
          '/metrics',
          '/v1/session',
          '/health/ready',
          '/v1/x',
          '/',
          '/v1/queues/%00',
        ]),
      ],
    ]
    const [method, path, body] = this.#pick(all)()
    return body === undefined ? { method, path } : { method, path, body: write(body) }
  }

  #random(): number {
    return this.#chance.next()
  }
  #pick<A>(from: readonly A[]): A {
    return this.#chance.pick(from)
  }
  #may<A>(value: () => A): A | undefined {
    return this.#random() < 0.25 ? value() : undefined
  }
  #odd(): unknown {
    return this.#pick(oddValues)
  }
  #number(): unknown {
    return this.#random() < 0.8 ? this.#pick([0, 1, 2, 5, 50, 1_000, 60_000]) : this.#odd()
  }
  #queue(): string {
    return this.#random() < 0.97 ? this.#pick(queueNames) : this.#pick([' ', 'x/y', 'ü', 'a'.repeat(81)])
  }
  #known(values: readonly string[]): string[] {
    return values.length === 0 ? ['x'] : [this.#pick(values), this.#pick(values)]
  }
  #query(fields: Readonly<Record<string, readonly string[]>>): string {
    const given = Object.entries(fields).filter(() => this.#random() < 0.5)
    return given.length === 0
      ? ''
      : `?${given.map(([name, values]) => `${name}=${encodeURIComponent(this.#pick(values))}`).join('&')}`
  }
  #deep(): string {
    const levels = this.#pick([900, 1_100, 6_000])
    return `${'['.repeat(levels)}12345678901234567890${']'.repeat(levels)}`
  }
  #start(): unknown {
    return this.#pick(['latest', 'earliest', { number: this.#number() }, { time: this.#odd() }])
  }
  #retry(): unknown {
    return this.#pick([
      { kind: 'fixed', delayMs: this.#number() },
      {
        kind: 'exponential',
        baseMs: 1,
        factor: 2,
        maxMs: this.#number(),
        jitter: this.#pick([0, 1, this.#odd()]),
      },
      { kind: 'list', delaysMs: [this.#number()] },
      this.#odd(),
    ])
  }
  #own(): Readonly<Record<string, unknown>> {
    const number = () => this.#number()
    return {
      leaseMs: this.#may(number),
      retriesMax: this.#may(number),
      retry: this.#may(() => this.#retry()),
      deadLetter: this.#may(() => this.#pick([...queueNames, null])),
      batchWaitMs: this.#may(number),
      rateMax: this.#may(number),
      inflightMax: this.#may(number),
    }
  }
  #settings(): unknown {
    return {
      ...(this.#random() < 0.5 ? this.#own() : {}),
      groups: this.#may(() => this.#pick(['none', 'ordered', 'fair'])),
      erasable: this.#may(() => this.#pick(['none', 'message', 'group'])),
      dedup: this.#may(() => this.#pick(['off', 'id', 'content'])),
      retentionMs: this.#may(() => this.#number()),
      bodyCheck: this.#may(() => this.#pick(['edits', 'all'])),
      bodySchema: this.#may(() =>
        this.#pick([null, {}, { maximum: this.#odd() }, { enum: [this.#odd()] }, this.#odd()]),
      ),
    }
  }
  #message(): unknown {
    return {
      body: this.#pick(['x', { a: 1 }, this.#odd()]),
      delayMs: this.#may(() => this.#number()),
      tag: this.#may(() => this.#pick(['t1', this.#odd()])),
      group: this.#may(() => this.#pick(['g1', 'g2', this.#odd()])),
      dedupId: this.#may(() => this.#pick(['d1', this.#odd()])),
      attributes: this.#may(() => this.#pick([{ a: 'b' }, this.#odd()])),
      contentType: this.#may(() => this.#pick(['application/json', this.#odd()])),
    }
  }
}
