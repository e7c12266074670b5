import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startServer } from '@kiroku/nats-server'
import { temporaryFolder } from '@kiroku/testkit'

const executable = fileURLToPath(new URL('../../../apps/kiroku/bin/kiroku.mjs', import.meta.url))

/** How long a caller may be slow, so that a run need not wait for its end. */
const impatience = ['--http-header-time', '1s', '--http-request-time', '2s', '--http-idle-time', '2s']

/** An engine as users run it, with a NATS and a folder of its own. */
export interface LivingEngine {
  readonly api: string
  /** Whether its process still runs. */
  readonly isAlive: () => boolean
  /** Lines of its log that report errors. */
  readonly errors: readonly string[]
  readonly stop: () => Promise<void>
}

/** Starts an engine with more flags of `kiroku serve`; resolves when it is ready. */
export const startLivingEngine = async (more: readonly string[] = []): Promise<LivingEngine> => {
  const [folder, nats] = await Promise.all([temporaryFolder(), startServer({})])
  const flags = ['--nats', nats.url, '--http', '127.0.0.1:0', '--console', 'off', '--log-format', 'json']
  const child = spawn(process.execPath, [executable, 'serve', '--json', ...flags, ...impatience, ...more], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const errors: string[] = []
  const gone = once(child, 'exit')
  createInterface(child.stderr).on('line', (line) => {
    if (line.includes('"level":"error"') || !line.startsWith('{')) errors.push(line)
  })
  const ready = new Promise<string>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('{"ready":true')) resolve((JSON.parse(line) as { readonly api: string }).api)
    })
  })
  const failed = gone.then(() => Promise.reject(new Error(`the engine ended: ${errors.join('\n')}`)))
  failed.catch(() => {})
  return {
    api: await Promise.race([ready, failed]),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    errors,
    stop: async () => {
      child.kill('SIGTERM')
      await gone
      await nats.stop()
      await folder.remove()
    },
  }
}
