import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '@kiroku/client-nats'
import { clusterStatus } from '@kiroku/cluster'
import { connect as connectNats } from '@kiroku/nats'
import { startTestNats, temporaryFolder, waitUntil } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'

const executable = fileURLToPath(new URL('../../apps/kiroku/bin/kiroku.mjs', import.meta.url))
const partitions = 4

/** Where a command sees only its own processes, the first of them 1, and a host name of its own. */
const namespaces = ['--pid', '--uts', '--fork', '--kill-child', '--mount-proc']
const canIsolate = spawnSync('unshare', [...namespaces, 'true']).status === 0

/** A node in a container of its own, as far as processes and the host name go. */
const startNode = (folder: string, name: string, url: string): ChildProcess => {
  const log = openSync(join(folder, `${name}.log`), 'a')
  const flags = ['--nats', url, '--data-dir', join(folder, name), '--partitions', String(partitions)]
  const child = spawn(
    'unshare',
    [
      ...namespaces,
      ...['sh', '-c', 'hostname pod && exec "$@"', 'sh', process.execPath, executable, 'serve'],
      ...flags,
      ...['--audit', 'off', '--log-level', 'debug'],
    ],
    { stdio: ['ignore', 'ignore', log] },
  )
  closeSync(log)
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

it('[CARD-07] nodes of one name and process number share the partitions, and one takes over what the other leaves', async ({
  skip,
}) => {
  if (!canIsolate) {
    if (process.env['KIROKU_REQUIRE_ALL'] === '1') throw new Error('unshare may not make namespaces here')
    return skip('unshare may not make namespaces here')
  }
  const [server, folder] = await Promise.all([startTestNats(), temporaryFolder()])
  onTestFinished(async () => {
    await Promise.all([server.stop(), folder.remove()])
  })
  const [first] = ['first', 'second'].map((name) => startNode(folder.path, name, server.url))
  const client = await connect({ servers: server.url })
  onTestFinished(() => client.close())
  const nats = await connectNats({ servers: server.url })
  onTestFinished(() => nats.close())
  /** How many partitions each living node has by its locks. */
  const shares = async (): Promise<number[]> => {
    const { runners, partitions: locks } = await clusterStatus(nats, 'main')
    return runners.map(({ address }) => locks.filter(({ owner }) => owner === address).length).sort()
  }
  const serving = async (): Promise<string[]> =>
    (await client.partitions()).flatMap(({ node, state }) => (state === 'Active' ? [node] : []))
  await waitUntil(async () => String(await shares()) === '2,2', { timeoutMs: 60_000 })
  await waitUntil(async () => (await serving()).length === partitions, { timeoutMs: 30_000 })
  expect(new Set(await serving())).toEqual(new Set(['pod-1']))
  const epochs = async () =>
    (await client.partitions()).map(({ partition, epoch }) => `${partition} ${epoch}`)
  const before = await epochs()
  const queues = Array.from({ length: 8 }, (_, i) => `work-${i}`)
  for (const queue of queues) await client.queues.create(queue)
  const sendAll = (body: string) => Promise.all(queues.map((queue) => client.send(queue, body)))
  for (let i = 0; i < 50; i++) await sendAll(`${i}`)
  // Neither took anything from the other.
  expect(await epochs()).toEqual(before)
  first!.kill('SIGKILL')
  await once(first!, 'exit')
  await waitUntil(async () => String(await shares()) === String(partitions), { timeoutMs: 30_000 })
  await sendAll('behind')
  const counts = (await client.queues.list()).map((queue) => queue.counts.sent)
  expect(counts).toEqual(queues.map(() => 51))
})
