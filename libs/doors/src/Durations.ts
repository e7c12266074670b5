import type { Labels, MetricFamily } from './MetricFamily.ts'

type HistogramSamples = Extract<MetricFamily, { readonly type: 'histogram' }>['samples']

/** Bounds that OpenTelemetry recommends for messaging, in s. */
const boundsSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const

interface Histogram {
  readonly labels: Labels
  readonly counts: number[]
  sum: number
}

/** How long things took, by labels. */
export class Durations {
  readonly #histograms = new Map<string, Histogram>()

  /** @param labels always in the same order */
  record(labels: Labels, seconds: number): void {
    const key = Object.values(labels).join(' ')
    let histogram = this.#histograms.get(key)
    if (histogram === undefined) {
      histogram = { labels, counts: new Array<number>(boundsSeconds.length + 1).fill(0), sum: 0 }
      this.#histograms.set(key, histogram)
    }
    const bucket = boundsSeconds.findIndex((bound) => seconds <= bound)
    histogram.counts[bucket < 0 ? boundsSeconds.length : bucket]!++
    histogram.sum += seconds
  }

  samples(): HistogramSamples {
    return [...this.#histograms.values()].map((histogram) => ({ ...histogram, bounds: boundsSeconds }))
  }
}
