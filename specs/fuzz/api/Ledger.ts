import type { Chance } from '../Chance.ts'

/** A queue that no other request names. */
const queue = '/v1/queues/ledger'

/** Messages that are looked up one by one afterwards. */
const tracesMax = 300

/** Remembers what was acknowledged, and asks for it afterwards. */
export class Ledger {
  readonly #api: string
  readonly #acknowledged = new Set<string>()
  readonly #others: string[] = []
  #sent = 0

  constructor(api: string) {
    this.#api = api
  }

  /** Creates its queue. */
  async open(): Promise<void> {
    await this.#post('/v1/queues', { name: 'ledger', settings: { retriesMax: 1_000 } })
  }

  /** Sends one message; a refusal acknowledges nothing. */
  async send(): Promise<void> {
    const body = `entry ${++this.#sent}`
    const { status } = await this.#post(`${queue}/messages`, { body })
    if (status === 200) this.#acknowledged.add(body)
  }

  /** A message that another request sent. */
  note(messageId: string): void {
    this.#others.push(messageId)
  }

  /** How many acknowledged messages are not there. Of those that others sent a sample is looked up. */
  async lost(chance: Chance, tell: (line: string) => void): Promise<number> {
    const missing = new Set(this.#acknowledged)
    for (;;) {
      const { text } = await this.#post(`${queue}/receive`, { max: 1_000, waitMs: 500 })
      const { messages } = JSON.parse(text) as {
        readonly messages: readonly { readonly body: string; readonly receipt: string }[]
      }
      if (messages.length === 0) break
      for (const { body } of messages) missing.delete(body)
      await this.#post('/v1/messages/ack', { receipts: messages.map(({ receipt }) => receipt) })
    }
    for (const body of missing) tell(`lost: ${body}`)
    let lost = missing.size
    for (let n = Math.min(tracesMax, this.#others.length); n > 0; n--) {
      const id = chance.pick(this.#others)
      const response = await fetch(`${this.#api}/v1/messages/${encodeURIComponent(id)}/trace`)
      if (response.status !== 404) continue
      tell(`lost: message ${id}: ${await response.text()}`)
      lost++
    }
    return lost
  }

  async #post(path: string, body: unknown): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(this.#api + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }
}
