import { setTimeout as pause } from 'node:timers/promises'
import { Replay, TailFold } from '@kiroku/audit'
import { pastOptions, type CpuThrottle } from '@kiroku/auditor'
import type { Log, PartitionLog } from '@kiroku/log'
import { countsOf } from '@kiroku/partition'
import { isKirokuError, KirokuError, partitionOf, type QueueCounts } from '@kiroku/protocol'
import { auditedLog } from '../../audit/auditedLog.ts'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { gentle } from '../../cli/gentle.ts'
import { withLog } from '../../serve/withLog.ts'
import { countsText, tailJson, tailText } from './tailText.ts'

/** How often it polls for more, in ms; what happened meanwhile is shown together. */
const tickMs = 200
/** Records that are read before results are shown. */
const turnRecords = 500

/** A followed partition. */
interface Followed {
  readonly log: PartitionLog
  readonly pass: Replay
  readonly fold: TailFold
  shown: string
}

export const run = (invocation: Invocation): Promise<void> =>
  withLog(invocation, async (log) => {
    const { argument, int, flag, out, signal } = invocation
    const queue = argument('queue')!
    const throttle = gentle(invocation)
    const followed = await open(invocation, log, queue, int('from'), throttle)
    const isThere = followed.some(({ pass }) => pass.state.names.has(queue))
    if (!isThere && int('from') === undefined && flag('until-end'))
      throw new KirokuError('UnknownQueue', `there is no queue "${queue}"`)
    try {
      const isOver = () => flag('until-end') || signal.aborted
      let isLost = false
      for (;;) {
        try {
          for (const each of followed) await catchUp(invocation, each, queue, log.meta.incarnation)
          if (isLost) out.note('NATS answers again')
          isLost = false
        } catch (error) {
          if (isOver() || !isKirokuError(error) || !error.retryable) throw error
          if (!isLost) out.note(`NATS does not answer (${error.message}); this goes on when it does`)
          isLost = true
        }
        if (isOver()) return
        await (throttle?.rest(tickMs) ?? pause(tickMs, undefined, { signal }).catch(() => {}))
      }
    } finally {
      for (const { log: partition } of followed) await partition.close()
    }
  })

/** Every partition may hold a part of the queue; `from` is a record of its home. */
const open = async (
  { settings }: Invocation,
  log: Log,
  queue: string,
  from: number | undefined,
  throttle: CpuThrottle | undefined,
): Promise<Followed[]> => {
  const home = partitionOf(queue, log.meta.partitions)
  const followed: Followed[] = []
  for (let n = 0; n < log.meta.partitions; n++) {
    const partition = await log.partition(n)
    const { lastSeq } = await partition.state()
    const start = n === home && from !== undefined ? from : lastSeq + 1
    const fold = new TailFold(n, queue, start)
    const options = {
      ...pastOptions(auditedLog(log, settings().dataDir), throttle),
      near: Math.max(0, start - 1),
    }
    const pass = await Replay.open(partition, { ...options, listeners: [fold] })
    await pass.run(start - 1)
    followed.push({ log: partition, pass, fold, shown: '' })
  }
  return followed
}

/** Shows what happened to the queue up to the end of a partition's log. */
const catchUp = async (
  invocation: Invocation,
  each: Followed,
  queue: string,
  incarnation: string,
): Promise<void> => {
  const { lastSeq } = await each.log.state()
  do {
    await each.pass.run(each.pass.seq + turnRecords)
    show(invocation, each, queue, incarnation)
  } while (each.pass.seq < lastSeq && !invocation.signal.aborted)
}

const show = ({ out, flag }: Invocation, each: Followed, queue: string, incarnation: string): void => {
  const { fold, pass, log } = each
  const lines = fold.lines
  fold.lines = []
  if (out.json) for (const line of lines) for (const value of tailJson(line, incarnation)) out.result(value)
  else if (lines.length > 0) for (const text of tailText(lines, incarnation)) out.line(text)
  const standing = pass.state.names.get(queue)
  if (!flag('state') || standing === undefined) return
  const counts: QueueCounts = countsOf(standing)
  const text = countsText(counts)
  if (text === each.shown) return
  each.shown = text
  out.line(`${' '.repeat(14)}${log.partition}/${pass.seq}  ${text}`)
  out.result({ partition: log.partition, seq: pass.seq, at: pass.state.at, counts })
}
