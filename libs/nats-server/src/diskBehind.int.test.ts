import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { diskBehind } from './diskBehind.ts'
import { managedStatus } from './managedStatus.ts'
import { startManaged } from './startManaged.ts'

it('a managed server is known by its folder and its address on this machine, and no other is taken for it', async () => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  expect(diskBehind(folder.path, 'nats://127.0.0.1:4222')).toBeUndefined()
  const server = await startManaged({ dataDir: folder.path, graceMs: 100 })
  onTestFinished(async () => {
    await server.release()
    await waitUntil(() => managedStatus(folder.path) === undefined, { what: 'the keeper is gone' })
  })
  const { port } = managedStatus(folder.path)!
  for (const address of [server.url, `127.0.0.1:${port}`, `nats://localhost:${port}`, `tls://[::1]:${port}`])
    expect(diskBehind(folder.path, address)?.bytesMax).toBe(server.disk().bytesMax)
  for (const address of [
    `nats://127.0.0.1:${port + 1}`,
    `nats://10.0.0.1:${port}`,
    `nats://127.0.0.1:${port},nats://10.0.0.1:${port}`,
    'not an address',
    '',
  ])
    expect(diskBehind(folder.path, address)).toBeUndefined()
})
