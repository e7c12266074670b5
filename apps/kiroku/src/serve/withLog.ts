import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Log } from '@kiroku/log'
import type { NatsOptions } from '@kiroku/nats'
import type { Invocation } from '../cli/CommandSpec.ts'
import type { Settings } from '../config/settings.ts'
import type { Nats } from './describeCluster.ts'
import { natsTarget } from './natsTarget.ts'
import { isRunning, readRunFile } from './RunFile.ts'

/**
 * Opens the log that the settings name, runs `act`, and closes it again. It needs no engine: if none runs in
 * this folder, the folder's managed NATS is started meanwhile. Errors: `NatsUnreachable`, `InvalidArgument`
 * (no such log), and those of `act`.
 */
export const withLog = async <A>(
  invocation: Pick<Invocation, 'settings'>,
  act: (log: Log, nats: Nats) => Promise<A>,
): Promise<A> => {
  const settings = invocation.settings()
  const { target, release } = await natsOf(settings)
  try {
    const { openToRead } = await import('../log/openToRead.ts')
    const { log, nats, close } = await openToRead(target, settings.log)
    try {
      return await act(log, nats)
    } finally {
      await close()
    }
  } finally {
    await release()
  }
}

const natsOf = async (settings: Settings): Promise<{ target: NatsOptions; release: () => Promise<void> }> => {
  const dataDir = resolve(settings.dataDir)
  const run = readRunFile(dataDir)
  const stopped =
    settings.nats === undefined && (run === undefined || !isRunning(run)) && existsSync(join(dataDir, 'nats'))
  if (!stopped) return { target: natsTarget(settings), release: () => Promise.resolve() }
  const { startManaged } = await import('@kiroku/nats-server')
  const server = await startManaged({ dataDir })
  return {
    target: { servers: server.url, name: 'kiroku', ...server.access.node },
    release: () => server.release(),
  }
}
