import { connect } from 'node:net'
import { defaultNatsPort, lookTimeoutMs } from './limits.ts'

/** Whether a nats-server asks clients for a certificate, by its greeting; false where there is none. */
export const wantsCertificate = (server: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(server.includes('://') ? server : `nats://${server}`)
    const socket = connect({ host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port) || defaultNatsPort })
    let greeting = ''
    const end = (): void => {
      socket.destroy()
      resolve(/"tls_verify":\s*true/.test(greeting))
    }
    socket.setTimeout(lookTimeoutMs, end)
    socket.on('error', end)
    socket.on('close', end)
    socket.on('data', (chunk) => {
      greeting += chunk.toString()
      if (greeting.includes('\r\n')) end()
    })
  })
