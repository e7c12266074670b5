import { shown } from '@kiroku/protocol'
import { processOutput, reportError } from './Output.ts'
import { runCommandLine } from './runCommandLine.ts'
import { tree } from './tree.ts'

/** A drain that takes longer than this is cut off. */
const drainMsMax = 9_500

/**
 * A second signal within this time counts as part of the first. Where a whole process group is stopped, as by systemd, an
 * engine gets the signal twice: directly, and from the launcher, which forwards signals if its Node cannot replace itself.
 */
const oneStopMs = 200

/** Runs a command line as this process: its signals, its output, its exit code. Ends the process. */
export const runProcess = async (argv: readonly string[], version: string): Promise<void> => {
  const json = argv.includes('--json')
  const stopping = new AbortController()
  // A Worker's module may not end the process, but this may.
  const exit = process.exit.bind(process)

  const fail = (error: unknown): void => {
    const report = reportError(error, process.env['KIROKU_DEBUG'] === '1')
    process.stderr.write(shown(report.human) + '\n')
    processOutput(json).result(report.machine)
    process.exitCode = report.exit
  }

  let stoppedMs = 0
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (stopping.signal.aborted) {
        // A second signal means: stop now.
        if (performance.now() - stoppedMs > oneStopMs) exit(signal === 'SIGINT' ? 130 : 143)
        return
      }
      stoppedMs = performance.now()
      stopping.abort()
      setTimeout(() => {
        process.stderr.write(`the drain took longer than ${drainMsMax} ms and was cut off\n`)
        exit(1)
      }, drainMsMax).unref()
    })
  process.stdout.on('error', (error: NodeJS.ErrnoException) => exit(error.code === 'EPIPE' ? 0 : 1))
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => {
      fail(error)
      exit()
    })

  try {
    await runCommandLine(tree, version, argv, stopping.signal)
  } catch (error) {
    fail(error)
  }
  // A socket left open must not keep a finished command alive; output is flushed first.
  process.stdout.write('', () => process.stderr.write('', () => exit()))
}
