import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { TcpProxy } from './TcpProxy.ts'

it('a proxy that holds traffic up passes all of it on later, though its sender is gone', async () => {
  let heard = ''
  let isEnded = false
  const server = createServer((socket: Socket) => {
    socket.on('data', (bytes) => (heard += String(bytes)))
    socket.on('end', () => (isEnded = true))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await TcpProxy.open(() => (server.address() as AddressInfo).port)
  try {
    const client = connect(proxy.port, '127.0.0.1')
    client.write('before ')
    await waitUntil(() => heard === 'before ')
    proxy.hold()
    client.end('while held')
    await once(client.resume(), 'finish')
    client.destroy()

    const other = connect(proxy.port, '127.0.0.1')
    await once(other, 'connect')
    expect([heard, isEnded]).toEqual(['before ', false])
    proxy.release()
    await waitUntil(() => isEnded)
    expect(heard).toBe('before while held')
    other.destroy()
  } finally {
    proxy.close()
    server.close()
  }
})
