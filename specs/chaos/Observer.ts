import type { Transport } from '@kiroku/client'
import type { Answer, Command, CommandOf, Delivery, Ranges, Reply } from '@kiroku/protocol'
import type { AcknowledgedSend, ConfirmedAck, SeenDelivery, SendAnswer } from './History.ts'
import type { TrafficMessage } from './Messages.ts'

/** An answer within this time had nothing between it and its send, in ms. */
const soonMs = 50

/** How often observations are reported, in ms. */
const tellEveryMs = 20

/** Observes what passes between a client and the engine, and reports it to the parent process. */
export class Observer {
  #acknowledged: AcknowledgedSend[] = []
  #deliveries: SeenDelivery[] = []
  #acks: ConfirmedAck[] = []
  #slow: SendAnswer[] = []
  #failures: string[] = []
  /** When each send without an answer was first handed to the transport. */
  readonly #handed = new Map<string, number>()
  readonly #timer = setInterval(() => this.#tell(), tellEveryMs)

  acknowledged(send: AcknowledgedSend): void {
    this.#acknowledged.push(send)
  }

  failed(what: string, error: unknown): void {
    this.#failures.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
  }

  /** The same transport, seen. */
  watch(transport: Transport): Transport {
    return {
      directory: () => transport.directory(),
      onOwnerChanged: (listener) => transport.onOwnerChanged(listener),
      onStray: (listener) =>
        transport.onStray((partition, reply) => {
          for (const answer of reply.answers) this.#delivery(partition, answer)
          listener(partition, reply)
        }),
      close: () => transport.close(),
      request: async (partition, commands, options) => {
        for (const command of commands)
          if (command.type === 'Enqueue') {
            const key = `${command.producer} ${command.send}`
            if (!this.#handed.has(key)) this.#handed.set(key, Date.now())
          }
        const reply = await transport.request(partition, commands, options)
        this.#replied(partition, commands, reply)
        return reply
      },
    }
  }

  /** Tells what is left and that this process is done. */
  end(): void {
    clearInterval(this.#timer)
    this.#tell()
    tell({ type: 'stopped' })
  }

  #replied(partition: number, commands: readonly Command[], reply: Reply): void {
    commands.forEach((command, i) => {
      const answer = reply.answers[i]
      if (answer?.ok === undefined) return
      if (command.type === 'Enqueue') this.#answered(command, reply.epoch)
      else if (command.type === 'Receive') this.#delivery(partition, answer)
      else if (command.type === 'Ack') {
        const { refused } = answer.ok as Answer<'Ack'>['ok'] & {}
        command.items.forEach(({ queue, sub, numbers }, item) => {
          const not = new Set(refused.flatMap((each) => (each.item === item ? [each.number] : [])))
          this.#acks.push({ partition, queue, sub, numbers: without(numbers, not) })
        })
      }
    })
  }

  #answered({ producer, send }: CommandOf<'Enqueue'>, epoch: number): void {
    const key = `${producer} ${send}`
    const handedMs = this.#handed.get(key)
    if (handedMs === undefined) return
    this.#handed.delete(key)
    const answeredAtMs = Date.now()
    if (answeredAtMs > handedMs + soonMs) this.#slow.push({ producer, send, epoch, answeredAtMs })
  }

  #delivery(partition: number, answer: Answer): void {
    if (answer.ok === undefined || !('delivery' in answer.ok) || typeof answer.ok.delivery !== 'object')
      return
    const { queue, delivery, numbers }: Delivery = answer.ok.delivery
    this.#deliveries.push({ partition, queue, delivery, numbers })
  }

  #tell(): void {
    const seen = {
      acknowledged: this.#acknowledged,
      deliveries: this.#deliveries,
      acks: this.#acks,
      slow: this.#slow,
      failures: this.#failures,
    }
    if (Object.values(seen).every((list) => list.length === 0)) return
    this.#acknowledged = []
    this.#deliveries = []
    this.#acks = []
    this.#slow = []
    this.#failures = []
    tell({ type: 'seen', ...seen })
  }
}

/** Tells the process that started this one. */
export const tell = (message: TrafficMessage): void => void process.send?.(message)

const without = (numbers: Ranges, not: ReadonlySet<number>): Ranges => {
  if (not.size === 0) return numbers
  const left: Ranges = []
  for (let i = 0; i < numbers.length; i += 2)
    for (let n = numbers[i]!, end = n + numbers[i + 1]!; n < end; n++) if (!not.has(n)) left.push(n, 1)
  return left
}
