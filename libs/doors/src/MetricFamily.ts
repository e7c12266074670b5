/** Labels of one sample. */
export type Labels = Readonly<Record<string, string | number>>

/** One number. */
interface Sample {
  readonly labels: Labels
  readonly value: number
}

/** One distribution. */
interface HistogramSample {
  readonly labels: Labels
  /** Upper bounds, ascending; `counts` has one more entry for larger values. */
  readonly bounds: readonly number[]
  readonly counts: readonly number[]
  readonly sum: number
}

interface Family<Type extends string, S> {
  readonly type: Type
  readonly name: string
  readonly help: string
  readonly samples: readonly S[]
}

/** Samples of one metric, as the exposition format groups them. */
export type MetricFamily = Family<'counter' | 'gauge', Sample> | Family<'histogram', HistogramSample>

/** Reads the samples of one metric from a source. */
export type Reader<Measured, S = Sample> = (measured: Measured) => readonly S[]

/** One row of a table of metrics. */
export type FamilyRow<Measured> =
  | readonly [type: 'counter' | 'gauge', name: string, help: string, read: Reader<Measured>]
  | readonly [type: 'histogram', name: string, help: string, read: Reader<Measured, HistogramSample>]

/** Reads every metric of a table, each when it is asked for. */
export function* readFamilies<Measured>(
  rows: readonly FamilyRow<Measured>[],
  measured: Measured,
): Generator<MetricFamily> {
  for (const [type, name, help, read] of rows)
    yield { type, name, help, samples: read(measured) } as MetricFamily
}
