import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { Certificate } from './Certificate.ts'
import { httpLimitsDefault } from './HttpLimits.ts'
import { limitedServer } from './limitedServer.ts'
import { expiredPair } from './testing/expiredPair.ts'

it.each([
  ['TLS', new Certificate(expiredPair)],
  ['plain HTTP', undefined],
])('a connection over %s on which nobody says anything is closed', async (_, certificate) => {
  const limits = { ...httpLimitsDefault, headerMs: 100, requestMs: 200, idleMs: 200 }
  const server = limitedServer(limits, () => {}, certificate)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  // The server may reset what it gives up.
  socket.on('error', () => {}).resume()
  await once(socket, 'close')
  expect(socket.destroyed).toBe(true)
  server.close()
})
