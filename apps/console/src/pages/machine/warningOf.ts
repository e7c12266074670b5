/** Share of a limit from which it counts as near. */
const nearPart = 0.8

/** What counts towards a queue's limit of messages in flight. */
export interface InflightUse {
  readonly name: string
  readonly config: { readonly inflightMax: number }
  readonly counts: { readonly inflight: number }
}

/** Says which queues are near their limit of messages in flight; nothing when none is. */
export const warningOf = (queues: readonly InflightUse[]): string | undefined => {
  const near = queues.filter(
    ({ config, counts }) => config.inflightMax > 0 && counts.inflight >= config.inflightMax * nearPart,
  )
  const [first] = near
  if (first === undefined) return undefined
  const { name, counts, config } = first
  const others = near.length === 1 ? '' : `, and ${near.length - 1} more`
  return `${name} has ${counts.inflight} of ${config.inflightMax} in flight${others}`
}
