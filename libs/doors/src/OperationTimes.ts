import { Durations } from './Durations.ts'
import type { MetricFamily } from './MetricFamily.ts'

/** Operations by OpenTelemetry's names. */
export type Operation = 'send' | 'receive' | 'settle'

/** How long operations through a door took, failed ones apart. */
export class OperationTimes {
  readonly #durations = new Durations()

  /** Runs an operation and records its duration. */
  async measure<A>(operation: Operation, run: () => Promise<A>): Promise<A> {
    const startedMs = performance.now()
    let failed = {}
    try {
      return await run()
    } catch (error) {
      failed = { error_type: (error as { id?: string }).id ?? 'Internal' }
      throw error
    } finally {
      const labels = { messaging_system: 'kiroku', messaging_operation_name: operation, ...failed }
      this.#durations.record(labels, (performance.now() - startedMs) / 1_000)
    }
  }

  /** As a metric. */
  family(): MetricFamily {
    return {
      type: 'histogram',
      name: 'messaging_client_operation_duration_seconds',
      help: 'Duration of operations through the HTTP API.',
      samples: this.#durations.samples(),
    }
  }
}
