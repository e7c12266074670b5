import type { RedriveDescription, RedriveSkip } from '@kiroku/protocol'
import { columns } from '../../cli/columns.ts'
import { skipReasons } from './describeRedrive.ts'

/** What a redrive would do, or did, with the matching messages. */
export interface Eligible {
  readonly queue: string
  /** Messages that match. */
  readonly match: number
  /** Those that can be moved. */
  readonly eligible: number
  /** Those that stay, by reason. */
  readonly stay: Readonly<Partial<Record<RedriveSkip, number>>>
  /** Those beyond the limit. */
  readonly beyond: number
  /** Where they go. */
  readonly targets: readonly { readonly queue: string; readonly count: number }[]
}

/** Adds up dry runs over the parts of a selection. */
export const eligibleOf = (queue: string, runs: readonly RedriveDescription[]): Eligible => {
  const stay: Partial<Record<RedriveSkip, number>> = {}
  const targets = new Map<string, number>()
  let eligible = 0
  let match = 0
  let beyond = 0
  for (const { moved, skipped, selected, left, targets: to } of runs) {
    eligible += moved
    beyond += left
    let stays = 0
    for (const [reason, count] of Object.entries(skipped) as [RedriveSkip, number][]) {
      stay[reason] = (stay[reason] ?? 0) + count
      stays += count
    }
    match += selected ?? moved + stays + left
    for (const target of to) targets.set(target.queue, (targets.get(target.queue) ?? 0) + target.moved)
  }
  return {
    queue,
    match,
    eligible,
    stay,
    beyond,
    targets: [...targets].map(([name, count]) => ({ queue: name, count })),
  }
}

/** As text: what matches, what can be moved where, what stays and why. */
export const describeEligible = ({ match, eligible, stay, beyond, targets }: Eligible): string[] => {
  const reasons = Object.entries(stay) as [RedriveSkip, number][]
  const staying = reasons.reduce((sum, [, count]) => sum + count, 0)
  const because = staying === 0 ? '' : ', because'
  return [
    `${match} match, ${eligible} eligible, ${staying} not${because}`,
    ...(beyond === 0 ? [] : [`${beyond} are left by --max`]),
    ...(reasons.length === 0
      ? []
      : [columns(reasons.map(([reason, count]) => ['', String(count), skipReasons[reason]]))]),
    ...(targets.length === 0
      ? []
      : [columns(targets.map(({ queue, count }) => ['  to', queue, String(count)]))]),
  ]
}
