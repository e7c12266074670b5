import { resolve } from 'node:path'
import { setInterval as every } from 'node:timers/promises'
import { Access, announceAccess } from '@kiroku/nats-access'
import { startNatsCluster } from '@kiroku/nats-server'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { shellWord } from '../../cli/shellWord.ts'
import { keepPrivate } from '../../config/keepPrivate.ts'
import { isRunning } from '../../serve/RunFile.ts'

/** Ports of the first server; each further one has the next. */
const clientsPort = 4222
const serversPort = 6222
const serversCount = 3
/** How often it is looked whether each still runs, in ms. */
const lookMs = 500

/** Runs three nats-servers until it is stopped. */
export const run = async ({ settings, out, signal }: Invocation): Promise<void> => {
  const { dataDir, natsPort = clientsPort } = settings()
  const folder = resolve(dataDir)
  keepPrivate()
  const ports = Array.from({ length: serversCount }, (_, i) => ({
    clients: natsPort + i,
    servers: natsPort + serversPort - clientsPort + i,
  }))
  const access = new Access(folder)
  access.prepare()
  const cluster = await startNatsCluster({ ports, dataDir: folder, access })
  announceAccess(
    cluster.servers.map(({ port }) => port),
    { serverFolder: folder, keeperPid: process.pid },
  )
  access.writeContext(cluster.urls.join(','))
  try {
    const nats = cluster.urls.join(',')
    out.line(`three nats-servers on this machine, one JetStream cluster; data in ${folder}`)
    for (const [i, { url, pid }] of cluster.servers.entries()) out.line(`  n${i + 1}  ${url}  pid ${pid}`)
    out.line(`open to this user alone; \`nats\` takes --context ${shellWord(access.contextFile)}`)
    out.line(`a node on it: kiroku serve --nats ${nats} --replicas ${serversCount} --data-dir node-1`)
    out.result({ ready: true, nats, servers: cluster.servers.map(({ url, pid }) => ({ url, pid })) })
    const running = new Map(cluster.servers.map(({ pid }, i) => [`n${i + 1}`, pid]))
    for await (const _ of every(lookMs, undefined, { signal }))
      for (const [name, pid] of running) {
        if (isRunning({ pid })) continue
        running.delete(name)
        if (running.size === 0) return
        const left = [...running.keys()].join(' and ')
        out.note(`${name} has ended; ${left} ${running.size === 1 ? 'alone has no quorum' : 'go on'}`)
      }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await cluster.stop()
  }
}
