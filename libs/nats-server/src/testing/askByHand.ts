import { createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Access } from '@kiroku/nats-access'

/** A managed server as a test asks it. */
export interface KeyedServer {
  readonly port: number
  readonly access: Access
}

/** How long a request may take, in ms. */
const timeoutMs = 5_000

/**
 * One NATS request with the rights of a node, spoken by hand: this lib must not know a client. As clients do, it begins again
 * when the server closes the connection, which it does to those who are just entering while it reloads its configuration.
 * Undefined when there is no answer within some seconds: a store that is full may give none.
 */
export const askByHand = async (
  server: KeyedServer,
  subject: string,
  payload: string,
): Promise<string | undefined> => {
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    const answer = await askOnce(server, subject, payload, deadlineMs - performance.now())
    if (answer !== undefined || performance.now() >= deadlineMs) return answer
    await pause(10)
  }
}

const askOnce = (
  { port, access }: KeyedServer,
  subject: string,
  payload: string,
  waitMs: number,
): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (answer: string | undefined): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(() => end(undefined), waitMs)
    let received = ''
    socket.once('error', () => end(undefined))
    socket.once('close', () => end(undefined))
    socket.once('data', (hello) => {
      const nonce = /"nonce":"([^"]+)"/.exec(hello.toString())?.[1] ?? ''
      const entering = JSON.stringify({ verbose: false, ...signed(access, nonce) })
      socket.write(
        `CONNECT ${entering}\r\nSUB _INBOX.1 1\r\nPUB ${subject} _INBOX.1 ${Buffer.byteLength(payload)}\r\n${payload}\r\n`,
      )
    })
    socket.on('data', (data) => {
      received += data.toString()
      const answer = /MSG _INBOX\.1 1 \d+\r\n([^]*)\r\n/.exec(received)?.[1]
      if (answer !== undefined) end(answer)
    })
  })

/** How a node answers a server's nonce. */
const signed = ({ node, configFile }: Access, nonce: string) => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...readFileSync(node.nkey, 'utf8').trim()]
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  // Behind two bytes that say what it is, before two of a checksum.
  const seed = bits
    .slice(16, 16 + 32 * 8)
    .replaceAll(/.{8}/g, (byte) => Number.parseInt(byte, 2).toString(16).padStart(2, '0'))
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex')
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return {
    nkey: /nkey: (\w+)/.exec(readFileSync(configFile, 'utf8'))?.[1],
    sig: sign(null, Buffer.from(nonce), key).toString('base64url'),
  }
}
