/** Labels of one sample. */
export type Labels = Readonly<Record<string, string | number>>

/** Samples of one metric, as the exposition format groups them. */
export type MetricFamily =
  | {
      readonly type: 'counter' | 'gauge'
      readonly name: string
      readonly help: string
      readonly samples: readonly { readonly labels: Labels; readonly value: number }[]
    }
  | {
      readonly type: 'histogram'
      readonly name: string
      readonly help: string
      readonly samples: readonly {
        readonly labels: Labels
        /** Upper bounds, ascending; `counts` has one more entry for what lies above. */
        readonly bounds: readonly number[]
        readonly counts: readonly number[]
        readonly sum: number
      }[]
    }
