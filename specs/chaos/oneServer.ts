import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startServer } from '@kiroku/nats-server'
import { EngineProcess } from './EngineProcess.ts'
import type { Deployment, OnKill } from './Deployment.ts'
import type { Fault } from './Fault.ts'
import { partitions } from './queues.ts'
import type { Random } from './random.ts'

/**
 * Share of the kills of a node before which the other node freezes for longer than the TTL of its locks, then continues.
 */
const freezeShare = 0.06
const freezeMs = 3_500
/** What a kill -9 of a node, and of a server, aims at, in ms. */
const takeOverMs = 3_500
const natsAwayMs = 2_000

/** Two nodes on one nats-server; each fault kills one of the three without warning and starts it again. */
export const oneServer = async (folder: string, random: Random, onKill: OnKill): Promise<Deployment> => {
  const server = await startServer({ dataDir: join(folder, 'nats') })
  const nodes = ['a', 'b'].map(
    (name) => new EngineProcess({ name, url: server.url, folder, partitions }),
  ) as [EngineProcess, EngineProcess]
  const [a, b] = nodes

  /** Lets the other node lose everything without knowing: what it still sends off must not count any more. */
  const freeze = async (node: EngineProcess): Promise<void> => {
    node.signal('SIGSTOP')
    await pause(freezeMs + random.int(1_000))
    node.signal('SIGCONT')
  }
  const kill = (victim: EngineProcess, other: EngineProcess): Fault => ({
    name: 'kill -9 of a node',
    pauseMs: takeOverMs,
    hits: (active) => active.some((partition) => victim.owns(partition)),
    inject: async () => {
      if (random.next() < freezeShare) await freeze(other)
      onKill('node')
      await victim.end('SIGKILL')
      await pause(random.int(300))
      victim.start()
      return 0
    },
  })
  const killServer: Fault = {
    name: 'kill -9 of nats-server',
    pauseMs: natsAwayMs,
    inject: async () => {
      onKill('server')
      await server.kill('SIGKILL')
      await pause(random.int(300))
      await server.restart()
      return 0
    },
  }
  for (const node of nodes) node.start()
  return {
    urls: [server.url],
    faults: [kill(a, b), kill(b, a), kill(a, b), kill(b, a), killServer],
    // Its kills follow each other as fast as they hit.
    isSettled: () => true,
    isMixed: () => false,
    onCrash: (hear) => nodes.forEach((node) => (node.onCrash = hear)),
    stopNodes: async () => void (await Promise.all(nodes.map((node) => node.end('SIGTERM')))),
    stop: async () => {
      for (const node of nodes) node.kill()
      await server.stop()
    },
    abandon: () => nodes.forEach((node) => node.kill()),
  }
}
