import { diffMoments, parseMoment, parseStates, play, stateAt, type AskedMoment } from '@kiroku/audit'
import { pastOptions } from '@kiroku/auditor'
import { KirokuError } from '@kiroku/protocol'
import { auditedLog } from '../../audit/auditedLog.ts'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { gentle } from '../../cli/gentle.ts'
import { showProgress } from '../../cli/showProgress.ts'
import { withLog } from '../../serve/withLog.ts'
import { describeDiff } from './describeDiff.ts'
import { describeMoment } from './describeMoment.ts'
import { parseSpeed } from './playSpeed.ts'
import { Ended, playTerminal } from './playTerminal.ts'

export const run = async (invocation: Invocation): Promise<void> => {
  const { text } = invocation
  const modes = [text('at'), text('diff'), text('from')].filter((mode) => mode !== undefined)
  if (modes.length > 1)
    throw new KirokuError(
      'InvalidArgument',
      'give one of --at, --diff and --from: a moment, two, or everything between them',
    )
  if (text('diff') !== undefined) return diff(invocation)
  return text('from') === undefined ? look(invocation) : playBetween(invocation)
}

const moment = ({ text }: Invocation, flag: string): AskedMoment => {
  const now = Date.now()
  const given = text(flag)
  return given === undefined ? { time: now } : parseMoment(given, `--${flag}`, now)
}

const look = async (invocation: Invocation): Promise<void> => {
  const { out, text, int } = invocation
  const [states, where, after, max] = [text('state'), text('where'), text('after'), int('limit')]
  const asked = moment(invocation, 'at')
  const progress = showProgress()
  const throttle = gentle(invocation)
  const found = await withLog(invocation, (log) =>
    stateAt(log, invocation.argument('queue')!, asked, {
      ...pastOptions(auditedLog(log, invocation.settings().dataDir), throttle),
      onProgress: progress.onProgress,
      messagesMax: max ?? (out.json ? 100 : 20),
      ...(states === undefined ? {} : { states: parseStates(states, '--state') }),
      ...(where === undefined ? {} : { where }),
      ...(after === undefined ? {} : { after }),
    }),
  ).finally(progress.done)
  out.line(describeMoment(found, process.stdout.isTTY))
  out.result(found)
}

const diff = async (invocation: Invocation): Promise<void> => {
  const { out, text, argument } = invocation
  const now = Date.now()
  const a = parseMoment(text('diff')!, '--diff', now)
  const until = argument('until')
  const b = until === undefined ? { time: now } : parseMoment(until, 'until', now)
  const progress = showProgress()
  const throttle = gentle(invocation)
  const found = await withLog(invocation, (log) =>
    diffMoments(log, argument('queue')!, a, b, {
      ...pastOptions(auditedLog(log, invocation.settings().dataDir), throttle),
      onProgress: progress.onProgress,
      messagesMax: invocation.int('limit') ?? (out.json ? 100 : 20),
    }),
  ).finally(progress.done)
  out.line(describeDiff(found))
  out.result(found)
}

const playBetween = async (invocation: Invocation): Promise<void> => {
  const { out, text, signal } = invocation
  const [from, to] = [moment(invocation, 'from'), moment(invocation, 'to')]
  const speed = parseSpeed(text('speed') ?? (process.stdout.isTTY && !out.json ? '10x' : 'max'))
  const player = playTerminal(out, speed, signal)
  const progress = showProgress()
  const throttle = gentle(invocation)
  try {
    await withLog(invocation, (log) =>
      play(
        log,
        invocation.argument('queue')!,
        from,
        to,
        {
          ...pastOptions(auditedLog(log, invocation.settings().dataDir), throttle),
          onProgress: progress.onProgress,
        },
        async (step) => {
          progress.done()
          await player.step(step)
        },
      ),
    )
  } catch (error) {
    if (!(error instanceof Ended) && !signal.aborted) throw error
  } finally {
    progress.done()
    player.close()
  }
}
