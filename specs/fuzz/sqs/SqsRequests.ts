import { actions, type Shape } from '@kiroku/gateway-sqs/actions'
import type { Chance } from '../Chance.ts'
import { hostileTexts, hostileValues } from '../hostile.ts'

/** A request in one of the two protocols. */
export interface SqsRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Queues that are there; only `mail` is ever deleted. */
const queues = ['orders', 'orders.fifo', 'mail', 'native'] as const
const names = [...Object.keys(actions), 'Frob', '__proto__', 'toString', '']
const arn = 'arn:aws:sqs:us-east-1:000000000000:'
const texts = [
  'All',
  '.*',
  'x.*',
  'String',
  'Number',
  'Binary.x',
  'AAE=',
  `${arn}orders`,
  `${arn}mail`,
  `{"deadLetterTargetArn":"${arn}mail","maxReceiveCount":3}`,
  '{"deadLetterTargetArn":5}',
  'VisibilityTimeout',
  'RedrivePolicy',
  'FifoQueue',
  'RedriveAllowPolicy',
  `{"redrivePermission":"byQueue","sourceQueueArns":["${arn}orders"]}`,
  '{"redrivePermission":"denyAll"}',
  'KmsMasterKeyId',
  'SqsManagedSseEnabled',
  'AWSTraceHeader',
]
const valuesMax = 12
const receiptsMax = 1_000

/** Hostile requests by the table of actions, with the receipts and handles of earlier answers. */
export class SqsRequests {
  readonly #chance: Chance
  readonly #known: string[] = ['junk-1-1-1-1-1']

  constructor(chance: Chance) {
    this.#chance = chance
  }

  next(): SqsRequest {
    const chance = this.#chance
    const action = chance.pick(names)
    const input = this.#input(action)
    const path = chance.pick(['/', '/', `/000000000000/${chance.pick(queues)}`, '/x', '//', '/0/..'])
    const extended: Record<string, string> = chance.is(0.2)
      ? { 'x-kiroku-extensions': chance.pick(['bodies, delays, history', 'delays', '', ',x']) }
      : {}
    if (!chance.is(0.5))
      return {
        path,
        headers: extended,
        body: this.#form(action, input) + (chance.is(0.02) ? '&a.b.c=%00&=' : ''),
      }
    const body = chance.is(0.05) ? chance.pick(hostileValues) : jsonOf(input)
    return {
      path,
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `AmazonSQS.${action}`,
        ...extended,
      },
      body: chance.is(0.02) ? body.slice(0, body.length / 2) : body,
    }
  }

  /** Takes what later requests may name from an answer. */
  learn(answer: string): void {
    for (const [, json, xml] of answer.matchAll(
      /"(?:ReceiptHandle|TaskHandle)":"([^"]+)"|<ReceiptHandle>([^<]+)</g,
    ))
      if (this.#known.length < receiptsMax) this.#known.push((json ?? xml)!)
  }

  #input(action: string): ReadonlyMap<string, unknown> {
    const chance = this.#chance
    const members = Object.hasOwn(actions, action) ? actions[action]!.input : {}
    return new Map(
      Object.entries(members).flatMap(([name, shape]): [string, unknown][] => {
        if (name === 'WaitTimeSeconds')
          return chance.is(0.1) ? [[name, chance.pick([-1, 0, 1, 21, 'x'])]] : []
        // What would take the queues of the run away is rare.
        if (name === 'QueueUrl' && (action === 'DeleteQueue' || action === 'PurgeQueue'))
          return [[name, 'mail']]
        if (name === 'QueueUrl') return chance.is(0.95) ? [[name, chance.pick(queues)]] : []
        return chance.is(0.6) ? [[name, this.#value(shape, 0)]] : []
      }),
    )
  }

  #value(shape: Shape, depth: number): unknown {
    const chance = this.#chance
    if (chance.is(0.1)) return new Json(chance.pick(hostileValues))
    switch (shape.kind) {
      case 'number':
        return chance.pick([0, 1, 5, 10, 11, 60, 900, 901, 43_200, -1, 0.5])
      case 'flag':
        return chance.is(0.5)
      case 'list':
        return Array.from({ length: this.#count() }, () => this.#value(shape.of, depth + 1))
      case 'map':
        return new Map(
          Array.from({ length: this.#count() }, () => [this.#text(), this.#value(shape.of, depth + 1)]),
        )
      case 'structure':
        return new Map(
          Object.entries(shape.members).flatMap(([name, of]) =>
            chance.is(0.7)
              ? [[name, name === 'Id' && chance.is(0.8) ? this.#id() : this.#value(of, depth + 1)]]
              : [],
          ),
        )
      default:
        return this.#text()
    }
  }

  #count(): number {
    return Math.floor(this.#chance.next() ** 3 * valuesMax)
  }

  #id(): string {
    return this.#chance.pick(['a', 'b', 'c', 'd', 'e', 'f'])
  }

  #text(): string {
    const chance = this.#chance
    if (chance.is(0.3)) return chance.pick(this.#known)
    if (chance.is(0.3)) return chance.pick(hostileTexts)
    return chance.is(0.5) ? chance.pick(texts) : `text ${Math.floor(chance.next() * 1_000)}`
  }

  /** The same input in the Query protocol. */
  #form(action: string, input: ReadonlyMap<string, unknown>): string {
    const form = new URLSearchParams({ Action: action, Version: '2012-11-05' })
    const add = (name: string, shape: Shape | undefined, value: unknown): void => {
      if (value instanceof Json) form.append(name, value.text)
      else if (Array.isArray(value))
        value.forEach((each, i) =>
          add(`${name}.${i + 1}`, shape?.kind === 'list' ? shape.of : undefined, each),
        )
      else if (value instanceof Map && shape?.kind === 'map')
        [...value].forEach(([key, each], i) => {
          form.append(`${name}.${i + 1}.${shape.key}`, String(key))
          add(`${name}.${i + 1}.Value`, shape.of, each)
        })
      else if (value instanceof Map)
        for (const [key, each] of value)
          add(
            `${name}.${String(key)}`,
            shape?.kind === 'structure' ? shape.members[String(key)] : undefined,
            each,
          )
      else form.append(name, String(value))
    }
    const members = Object.hasOwn(actions, action) ? actions[action]!.input : {}
    for (const [name, value] of input) {
      const shape = members[name]
      add(shape?.kind === 'list' || shape?.kind === 'map' ? shape.name : name, shape, value)
    }
    return form.toString()
  }
}

/** JSON as it is written, which may be none that a value could be made to. */
class Json {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const jsonOf = (value: unknown): string => {
  if (value instanceof Json) return value.text
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`
  if (value instanceof Map)
    return `{${[...value].map(([key, each]) => `${JSON.stringify(String(key))}:${jsonOf(each)}`).join(',')}}`
  return JSON.stringify(value)
}
