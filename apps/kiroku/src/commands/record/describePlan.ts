import type { RepairKind, RepairPlan } from '@kiroku/audit'

const meaning: Readonly<Record<RepairKind, string>> = {
  none: 'nothing is wrong',
  void: 'the state before the damage is rebuilt; everything after it is given up',
  bridge: 'a checkpoint after the damage keeps the state; only the record of that range is lost',
  lostEnd: 'records are gone from the end',
  checkpoint: 'the log is intact, a checkpoint is not; it is deleted',
  missing: 'the store does not have it; it is created again, and what NATS could not load comes back',
  impossible: 'nothing is left to rebuild the state from; restore the stream from a backup',
}

/** What is damaged in a partition and what reopening costs, as text. */
export const describePlan = ({
  partition,
  kind,
  problem,
  from,
  upTo,
  lost,
  reopensAt,
}: RepairPlan): string[] => {
  const lines = [`partition ${partition}: ${meaning[kind]}`]
  if (problem !== undefined)
    lines.push(
      kind === 'missing'
        ? `  found     ${problem.message}`
        : `  found     ${problem.id} at record ${problem.seq}: ${problem.message}`,
    )
  if (upTo >= from) lines.push(`  given up  records ${from} to ${upTo}; it continues at ${reopensAt}`)
  const losses = [
    [lost.unreadable, 'records that cannot be read'],
    [lost.sent, 'messages sent or forwarded'],
    [lost.settled, 'changes of messages'],
    [lost.bodies, 'live messages without their body'],
  ] as const
  for (const [count, what] of losses) if (count > 0) lines.push(`  lost      ${count} ${what}`)
  return lines
}
