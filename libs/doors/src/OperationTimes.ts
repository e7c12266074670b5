import type { MetricFamily } from './MetricFamily.ts'

/** Bounds that OpenTelemetry recommends for messaging, in s. */
const boundsSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const

/** Operations by OpenTelemetry's names. */
export type Operation = 'send' | 'receive' | 'settle'

interface Histogram {
  readonly counts: number[]
  sum: number
}

/** How long operations through a door took, failed ones apart. */
export class OperationTimes {
  readonly #histograms = new Map<string, Histogram>()

  /** Runs an operation and records its duration. */
  async measure<A>(operation: Operation, run: () => Promise<A>): Promise<A> {
    const startedMs = performance.now()
    let outcome = ''
    try {
      return await run()
    } catch (error) {
      outcome = (error as { id?: string }).id ?? 'Internal'
      throw error
    } finally {
      this.#record(operation, outcome, (performance.now() - startedMs) / 1_000)
    }
  }

  /** As a metric. */
  family(): MetricFamily {
    return {
      type: 'histogram',
      name: 'messaging_client_operation_duration_seconds',
      help: 'Duration of operations through the HTTP API.',
      samples: [...this.#histograms].map(([key, { counts, sum }]) => {
        const [operation = '', error = ''] = key.split(' ')
        const labels = { messaging_system: 'kiroku', messaging_operation_name: operation }
        return {
          labels: error === '' ? labels : { ...labels, error_type: error },
          bounds: boundsSeconds,
          counts,
          sum,
        }
      }),
    }
  }

  #record(operation: Operation, error: string, seconds: number): void {
    const key = `${operation} ${error}`
    let histogram = this.#histograms.get(key)
    if (histogram === undefined) {
      histogram = { counts: new Array<number>(boundsSeconds.length + 1).fill(0), sum: 0 }
      this.#histograms.set(key, histogram)
    }
    const bucket = boundsSeconds.findIndex((bound) => seconds <= bound)
    histogram.counts[bucket < 0 ? boundsSeconds.length : bucket]!++
    histogram.sum += seconds
  }
}
