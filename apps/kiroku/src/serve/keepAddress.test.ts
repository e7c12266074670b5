import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { freePort, SmallDisk, temporaryFolder, type TemporaryFolder } from '@kiroku/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keepAddress } from './keepAddress.ts'

const host = '127.0.0.1'

let folder: TemporaryFolder
const undo: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(async () => {
  for (const each of undo.splice(0)) await each()
  await folder.remove()
})

const settings = (more: { tokens?: string; dataDir?: string } = {}) => ({
  tokens: undefined,
  tokensFile: undefined,
  httpTlsCert: undefined,
  httpTlsKey: undefined,
  oidcIssuer: undefined,
  oidcAudience: 'kiroku',
  oidcRoles: undefined,
  oidcName: 'sub',
  dataDir: join(folder.path, 'data'),
  ...more,
})

const listen = async (): Promise<number> => {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  undo.push(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as { port: number }).port
}

describe('before an engine touches NATS', () => {
  it('it keeps its address, with a page that asks browsers to wait, until the API takes it', async () => {
    const address = { host, port: await freePort() }
    const door = await keepAddress(settings(), [address])
    undo.push(door.release)
    expect(door).toMatchObject({ address, taken: [] })
    const page = await fetch(`http://${host}:${address.port}/queues/mail`)
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain('<meta http-equiv="refresh" content="1">')
    await expect(keepAddress(settings(), [address])).rejects.toMatchObject({ id: 'PortInUse' })
    await door.release()
    const next = await keepAddress(settings(), [address])
    undo.push(next.release)
    expect(next.address).toEqual(address)
  })

  it('it answers that it is alive and not ready, and says what it waits for', async () => {
    const address = { host, port: await freePort() }
    const door = await keepAddress(settings(), [address])
    undo.push(door.release)
    const ask = async (path: string) => {
      const answer = await fetch(`http://${host}:${address.port}${path}`)
      return [answer.status, await answer.json()]
    }
    expect(await ask('/health/live')).toEqual([200, { status: 'live' }])
    expect(await ask('/health/ready')).toEqual([503, { status: 'not ready', reason: 'starting' }])
    door.waitsFor('NATS is away')
    expect(await ask('/health/ready')).toEqual([503, { status: 'not ready', reason: 'NATS is away' }])
  })

  it('it takes the next address if the first is taken, and says by what', async () => {
    const taken = { host, port: await listen() }
    const free = { host, port: await freePort() }
    const door = await keepAddress(settings(), [taken, free])
    undo.push(door.release)
    expect(door).toMatchObject({ address: free, taken: [{ address: taken, by: 'another program' }] })
  })

  it('it fails if the only address is taken', async () => {
    const taken = { host, port: await listen() }
    await expect(keepAddress(settings(), [taken])).rejects.toMatchObject({
      id: 'PortInUse',
      message: `port ${taken.port} of ${host} is taken by another program`,
    })
  })

  it('it refuses an address beyond loopback without tokens, malformed tokens, and a folder that is not one', async () => {
    const open = { host: '0.0.0.0', port: 0 }
    await expect(keepAddress(settings(), [open])).rejects.toMatchObject({ id: 'TokenRequired' })
    expect((await keepAddress(settings({ tokens: 'ann:admin:it-is-long-enough' }), [open])).address).toEqual(
      open,
    )
    await expect(keepAddress(settings({ tokens: 'ann:boss:long-enough' }), [])).rejects.toMatchObject({
      id: 'InvalidConfig',
    })
    await expect(keepAddress(settings(), [{ host: '203.0.113.1', port: 0 }])).rejects.toMatchObject({
      id: 'TokenRequired',
    })
    const file = join(folder.path, 'a-file')
    writeFileSync(file, '')
    await expect(keepAddress(settings({ dataDir: file }), [])).rejects.toMatchObject({
      id: 'InvalidConfig',
      message: `--data-dir: cannot keep data in ${file}: it is a file`,
    })
  })

  it('it says that a folder is read-only', async ({ skip }) => {
    await using disk = await SmallDisk.mountOrSkip(1, skip)
    await disk.becomeReadOnly()
    for (const dataDir of [disk.path, join(disk.path, 'data')])
      await expect(keepAddress(settings({ dataDir }), [])).rejects.toMatchObject({
        id: 'InvalidConfig',
        message: `--data-dir: cannot keep data in ${dataDir}: its file system is read-only`,
      })
  })
})
