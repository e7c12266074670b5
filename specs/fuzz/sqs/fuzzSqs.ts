import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { createSqsWorld, type SqsWorld } from '../../sqs/SqsWorld.ts'
import { Chance } from '../Chance.ts'
import type { Fuzz, FuzzResult } from '../Fuzz.ts'
import { makeRawCall, rawCall } from '../api/RawCall.ts'
import { SqsRequests, type SqsRequest } from './SqsRequests.ts'

const atOnce = 8
const rawShare = 0.02
const ledgerShare = 0.05
const patienceMs = 30_000
/** Shorter than callers over raw sockets wait. */
const limits = { headerMs: 3_000, requestMs: 6_000, idleMs: 3_000 }
const progressRequests = 10_000
const toldMax = 40

/** Sends that an engine at its limits refuses; they acknowledge nothing. */
const refusals: ReadonlySet<string> = new Set(['RequestThrottled', 'ServiceUnavailable'])

/**
 * Hostile requests to the door for SQS: by its table of actions in both protocols, with receipts of earlier answers, and over raw
 * sockets. What it acknowledged to the official client meanwhile must be there afterwards.
 */
export const fuzzSqs: Fuzz = async ({ requests, seed, tell }) => {
  await using world = await createSqsWorld(undefined, limits)
  return await new SqsRun(world, requests, seed, tell).run()
}

class SqsRun {
  readonly #world: SqsWorld
  readonly #chance: Chance
  readonly #requests: number
  readonly #tell: (line: string) => void
  readonly #acknowledged = new Set<string>()
  #asked = 0
  #sent = 0
  #serverErrors = 0
  #hangs = 0

  constructor(world: SqsWorld, requests: number, seed: number, tell: (line: string) => void) {
    this.#world = world
    this.#requests = requests
    this.#chance = new Chance(seed)
    this.#tell = tell
  }

  async run(): Promise<FuzzResult> {
    const { client } = this.#world
    const ordered = { groups: 'ordered', dedup: 'id', lateHandles: 'reject' } as const
    for (const name of ['orders', 'mail'])
      await client.queues.create(name, { leaseMinMs: 0, retriesMax: 'unlimited', groups: 'fair' })
    await client.queues.create('orders.fifo', { ...ordered, leaseMinMs: 0 })
    await client.queues.create('native')
    await client.queues.create('ledger')
    const hostile = new SqsRequests(this.#chance)
    const ask = async (): Promise<void> => {
      while (this.#isMore())
        if (this.#chance.is(rawShare)) await this.#call()
        else if (this.#chance.is(ledgerShare)) await this.#send()
        else await this.#ask(hostile.next(), (answer) => hostile.learn(answer))
    }
    await Promise.all(Array.from({ length: atOnce }, ask))
    for (const defect of this.#world.defects) this.#error(`a defect: ${String(defect)}`)
    const lost = await this.#lost()
    return { requests: this.#asked, serverErrors: this.#serverErrors, hangs: this.#hangs, lost }
  }

  #isMore(): boolean {
    if (this.#asked >= this.#requests) return false
    if (++this.#asked % progressRequests === 0) this.#tell(`${this.#asked} of ${this.#requests}`)
    return true
  }

  async #ask({ path, headers, body }: SqsRequest, learn: (answer: string) => void): Promise<void> {
    const what = `${headers['x-amz-target'] ?? 'Query'} ${path} ${body.slice(0, 300)}`
    try {
      const response = await fetch(this.#world.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
        signal: AbortSignal.timeout(patienceMs),
      })
      const answer = await response.text()
      if (response.status >= 500) this.#error(`${response.status} to ${what}: ${answer.slice(0, 300)}`)
      else learn(answer)
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') this.#hang(what)
      else this.#error(`${String(error)} to ${what}`)
    }
  }

  async #call(): Promise<void> {
    const call = rawCall(this.#chance)
    const outcome = await makeRawCall(new URL(this.#world.url), call)
    if (outcome === 'hang') this.#hang(call.name)
    else if (/^HTTP\/1.1 5/.test(outcome.answer)) this.#error(`${call.name}: ${outcome.answer.slice(0, 200)}`)
  }

  async #send(): Promise<void> {
    const MessageBody = `entry ${++this.#sent}`
    try {
      await this.#world.sqs.send(new SendMessageCommand({ QueueUrl: 'ledger', MessageBody }))
      this.#acknowledged.add(MessageBody)
    } catch (error) {
      if (!refusals.has((error as Error).name)) this.#error(`a send to the ledger failed: ${String(error)}`)
    }
  }

  async #lost(): Promise<number> {
    const missing = new Set(this.#acknowledged)
    for (;;) {
      const messages = await this.#world.client.receive('ledger', { max: 1_000 })
      if (messages.length === 0) break
      for (const message of messages) missing.delete(message.text())
      await this.#world.client.ack(messages.map(({ receipt }) => receipt))
    }
    for (const body of missing) this.#tell(`lost: ${body}`)
    return missing.size
  }

  #hang(what: string): void {
    this.#hangs++
    this.#tell(`a hang: ${what}`)
  }

  #error(what: string): void {
    if (++this.#serverErrors <= toldMax) this.#tell(what)
  }
}
