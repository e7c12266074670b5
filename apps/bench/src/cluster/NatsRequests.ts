import type { NatsConnection } from '@nats-io/transport-node'

/** What is asked of JetStream and written to its buckets: everything that costs NATS more than a delivery. */
const subjects = ['$JS.API.>', '$KV.>']

/** Buckets and streams end in the name of what they hold; a partition's stream in its number. */
const kindOf = (subject: string): string => {
  if (subject.startsWith('$KV.')) return `write ${subject.split('.')[1]!.replace(/^.*_/, '')}`
  const [, , ...words] = subject.split('.')
  const stream = words.findLastIndex((word) => /KIROKU/i.test(word))
  const verb = (stream === -1 ? words : words.slice(0, stream)).join('.')
  const held = stream === -1 ? '' : words[stream]!.replace(/^.*_/, '')
  return `${verb} ${/^[0-9]*$/.test(held) ? 'partitions' : held}`
}

/** Counts the requests to JetStream, by what is asked of what. */
export class NatsRequests {
  readonly #counts = new Map<string, number>()

  /** Listens on a connection of its own until that closes. */
  constructor(nc: NatsConnection) {
    for (const subject of subjects)
      nc.subscribe(subject, {
        callback: (_, { subject: asked }) => {
          const kind = kindOf(asked)
          this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
        },
      })
  }

  /** Those since the last call, most frequent first. */
  take(): ReadonlyArray<readonly [kind: string, count: number]> {
    const counts = [...this.#counts].sort((a, b) => b[1] - a[1])
    this.#counts.clear()
    return counts
  }
}
