import { Chance } from '../Chance.ts'
import type { Fuzz, FuzzResult } from '../Fuzz.ts'
import type { ApiRequest } from './ApiRequest.ts'
import { DescribedRequests, type OpenApi } from './DescribedRequests.ts'
import { Ledger } from './Ledger.ts'
import { startLivingEngine, type LivingEngine } from './LivingEngine.ts'
import { makeRawCall, rawCall } from './RawCall.ts'
import { StatefulRequests } from './StatefulRequests.ts'

/** Concurrent requests through a client of HTTP, and over sockets of their own. */
const atOnce = 8
const rawAtOnce = 12

/** Shares of the requests. */
const rawShare = 0.03
const ledgerShare = 0.05
const describedShare = 0.5

/** How long an answer may take: longer than any receive of a run waits, and than the auditor has for a question, in ms. */
const patienceMs = 70_000

/**
 * What Node answers before the API sees a request: header fields, the path among them, that are too long, and on a machine that
 * is busy with other things a header that it did not come to read within its time.
 */
const ofNode: ReadonlySet<number> = new Set([408, 431])

/** Findings that are told. */
const toldMax = 40

/** How many requests pass between two lines of progress. */
const progressRequests = 10_000

/**
 * Hostile requests to the HTTP API of an engine that lives for the run: by its OpenAPI page, by what it answered before, and over raw
 * sockets. What it acknowledged meanwhile must be there afterwards.
 */
export const fuzzApi: Fuzz = async ({ requests, seed, tell }) => {
  const engine = await startLivingEngine()
  try {
    return await new ApiRun(engine, requests, seed, tell).run()
  } finally {
    await engine.stop()
  }
}

class ApiRun {
  readonly #engine: LivingEngine
  readonly #chance: Chance
  readonly #ledger: Ledger
  readonly #tell: (line: string) => void
  readonly #requests: number
  readonly #told = new Set<string>()
  #asked = 0
  #serverErrors = 0
  #hangs = 0

  constructor(engine: LivingEngine, requests: number, seed: number, tell: (line: string) => void) {
    this.#engine = engine
    this.#requests = requests
    this.#chance = new Chance(seed)
    this.#ledger = new Ledger(engine.api)
    this.#tell = tell
  }

  async run(): Promise<FuzzResult> {
    const page = (await (await fetch(`${this.#engine.api}/openapi.json`)).json()) as OpenApi
    const described = new DescribedRequests(this.#chance, page)
    const stateful = new StatefulRequests(this.#chance)
    await this.#ledger.open()
    const calls = new Set<Promise<void>>()
    const ask = async (): Promise<void> => {
      while (this.#isMore())
        if (this.#chance.is(rawShare) && calls.size < rawAtOnce) {
          const call = this.#call().finally(() => calls.delete(call))
          calls.add(call)
        } else if (this.#chance.is(ledgerShare)) await this.#send()
        else if (this.#chance.is(describedShare)) await this.#ask(described.next())
        else await this.#ask(stateful.next(), (path, answer) => stateful.learn(path, answer))
    }
    await Promise.all(Array.from({ length: atOnce }, ask))
    await Promise.all(calls)
    const { errors, isAlive } = this.#engine
    for (const line of errors) this.#error(line)
    if (!isAlive()) this.#error('the engine ended')
    const lost = isAlive() ? await this.#ledger.lost(this.#chance, this.#tell) : 0
    return { requests: this.#asked, serverErrors: this.#serverErrors, hangs: this.#hangs, lost }
  }

  /** Whether one more may be asked; counts it. */
  #isMore(): boolean {
    if (this.#asked >= this.#requests || !this.#engine.isAlive()) return false
    if (++this.#asked % progressRequests === 0) this.#tell(`${this.#asked} of ${this.#requests}`)
    return true
  }

  async #send(): Promise<void> {
    await this.#ledger
      .send()
      .catch((error: unknown) => this.#error(`a send to the ledger failed: ${String(error)}`))
  }

  async #ask(
    { method, path, body }: ApiRequest,
    learn?: (path: string, answer: unknown) => void,
  ): Promise<void> {
    const what = `${method} ${path.slice(0, 200)} ${body?.slice(0, 200) ?? ''}`
    try {
      const response = await fetch(this.#engine.api + path, {
        method,
        signal: AbortSignal.timeout(patienceMs),
        ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
      })
      const { status, headers } = response
      if (headers.get('content-type')?.startsWith('text/event-stream') === true)
        return await response.body!.cancel()
      const text = await response.text()
      const isJson = headers.get('content-type')?.startsWith('application/json') === true
      const answer = (isJson ? JSON.parse(text) : {}) as {
        readonly id?: string
        readonly messageId?: string
        readonly messageIds?: readonly string[]
        readonly missing?: readonly unknown[]
      }
      const isOwn = status < 400 || ofNode.has(status) || typeof answer.id === 'string'
      const lacks =
        path === '/v1/queues' && method === 'GET' && status === 200 && answer.missing?.length !== 0
      if (status === 500 || !isOwn || lacks) this.#error(`${status} ${what}: ${text.slice(0, 300)}`)
      if (status !== 200 || !isJson) return
      learn?.(path, answer)
      for (const id of [answer.messageId, ...(answer.messageIds ?? [])])
        if (id !== undefined && /\/messages(\/batch)?$/.test(path)) this.#ledger.note(id)
    } catch (error) {
      const { name, cause } = error as { readonly name: string; readonly cause?: unknown }
      if (name === 'TimeoutError') this.#hang(what)
      // A refused request's connection may close before all of its body is sent.
      else if (body === undefined || body.length < 100_000)
        this.#error(`${what}: ${String(error)} ${String(cause)}`)
    }
  }

  async #call(): Promise<void> {
    const call = rawCall(this.#chance)
    const outcome = await makeRawCall(new URL(this.#engine.api), call)
    if (outcome === 'hang') this.#hang(call.name)
    else if (/HTTP\/1\.1 500/.test(outcome.answer))
      this.#error(`${call.name}: ${outcome.answer.slice(0, 300)}`)
  }

  #error(what: string): void {
    this.#serverErrors++
    this.#find(`error: ${what}`)
  }

  #hang(what: string): void {
    this.#hangs++
    this.#find(`hang: ${what}`)
  }

  /** Tells what is not of a kind with what was told. */
  #find(line: string): void {
    const kind = line.slice(line.indexOf(': {'))
    if (this.#told.has(kind) || this.#told.size >= toldMax) return
    this.#told.add(kind)
    this.#tell(line)
  }
}
