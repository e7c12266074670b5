import { planRepair, repair, type RepairOptions, type RepairPlan } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import type { Log } from '@kiroku/log'
import { errorRegistry, KirokuError } from '@kiroku/protocol'
import { tailsOf } from '../../audit/tailsOf.ts'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { showProgress } from '../../cli/showProgress.ts'
import { localActor } from '../../serve/localActor.ts'
import { withLog } from '../../serve/withLog.ts'
import { describePlan } from './describePlan.ts'

export const run = (invocation: Invocation): Promise<void> =>
  withLog(invocation, async (log) => {
    const { flag, text, out } = invocation
    const tails = tailsOf(invocation.settings().dataDir, log)
    const progress = showProgress()
    const looking = { decodeCheckpoint, tails, onProgress: progress.onProgress }
    const plans = await plansOf(log, invocation.int('partition'), looking).finally(progress.done)
    const damaged = plans.filter(({ kind }) => kind !== 'none')
    for (const plan of damaged) for (const line of describePlan(plan)) out.line(line)
    if (damaged.length === 0) out.line('Nothing is damaged.')
    const lostEnd = flag('accept-lost-end')
    const open = flag('yes') ? (lostEnd ? plans : damaged).filter(({ kind }) => kind !== 'impossible') : []
    const left: RepairPlan[] = []
    for (const { partition, kind } of open) {
      await repair(log, partition, {
        ...looking,
        by: localActor(),
        note: text('reason') ?? 'kiroku repair',
        acknowledgeLostEnd: lostEnd,
      }).finally(progress.done)
      if (kind !== 'missing') {
        out.line(`partition ${partition} is open again`)
        continue
      }
      const back = await planRepair(log, partition, looking).finally(progress.done)
      const { kind: now, firstSeq, lastSeq } = back
      out.line(`partition ${partition} exists again, with ${lastSeq - firstSeq + 1} records`)
      if (now === 'none') continue
      for (const line of describePlan(back)) out.line(line)
      left.push(back)
    }
    const repaired = open.map(({ partition }) => partition)
    left.push(...damaged.filter(({ partition }) => !repaired.includes(partition)))
    if (left.some(({ kind }) => kind !== 'impossible'))
      out.line('`kiroku repair --yes` reopens; what is listed as lost stays lost.')
    out.result({ plans, repaired })
    if (left.length > 0) process.exitCode = errorRegistry.LogDamaged.exit
  })

const plansOf = async (log: Log, only: number | undefined, looking: RepairOptions): Promise<RepairPlan[]> => {
  if (only !== undefined && (only < 0 || only >= log.meta.partitions))
    throw new KirokuError(
      'InvalidArgument',
      `--partition: log ${log.meta.name} has partitions 0 to ${log.meta.partitions - 1}`,
    )
  const partitions = only === undefined ? Array.from({ length: log.meta.partitions }, (_, n) => n) : [only]
  const plans: RepairPlan[] = []
  for (const partition of partitions) plans.push(await planRepair(log, partition, looking))
  return plans
}
