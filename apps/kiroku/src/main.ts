import manifest from '../package.json' with { type: 'json' }
import { processOutput, reportError } from './cli/Output.ts'
import { runCommandLine } from './cli/runCommandLine.ts'
import { tree } from './cli/tree.ts'

/** A drain that takes longer than this is cut off. */
const drainMsMax = 9_500

const argv = process.argv.slice(2)
const json = argv.includes('--json')
const stopping = new AbortController()

const fail = (error: unknown): void => {
  const report = reportError(error, process.env['KIROKU_DEBUG'] === '1')
  process.stderr.write(report.human + '\n')
  processOutput(json).result(report.machine)
  process.exitCode = report.exit
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // A second signal means: now.
    if (stopping.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143)
    stopping.abort()
    setTimeout(() => {
      process.stderr.write(`the drain took longer than ${drainMsMax} ms and was cut off\n`)
      process.exit(1)
    }, drainMsMax).unref()
  })
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => {
    fail(error)
    process.exit()
  })

try {
  await runCommandLine(tree, manifest.version, argv, stopping.signal)
} catch (error) {
  fail(error)
}
// A socket that somebody forgot must not keep a finished command alive; output is flushed first.
process.stdout.write('', () => process.stderr.write('', () => process.exit()))
