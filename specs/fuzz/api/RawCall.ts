import { connect } from 'node:net'
import type { Chance } from '../Chance.ts'

/** How long the engine may take to answer or to hang up, in ms. */
const patienceMs = 20_000

/** Pause between two pieces of a request that never ends, in ms. */
const dripMs = 100

/** What is sent over a connection of its own. */
export interface RawCall {
  readonly name: string
  readonly bytes: Buffer
  /** Sent again and again, slowly. */
  readonly drip?: string
  /** Whether the caller ends the connection itself when it has sent all. */
  readonly ends?: boolean
}

const target = '/v1/queues/a/messages'
const head = (...lines: readonly string[]): string => ['host: 127.0.0.1', ...lines, '', ''].join('\r\n')
const post = (...lines: readonly string[]): string =>
  `POST ${target} HTTP/1.1\r\n${head('content-type: application/json', ...lines)}`
const get = (path: string, ...lines: readonly string[]): string => `GET ${path} HTTP/1.1\r\n${head(...lines)}`

const calls: readonly ((chance: Chance) => Omit<RawCall, 'bytes'> & { readonly text: string | Buffer })[] = [
  () => ({ name: 'nothing', text: '' }),
  () => ({ name: 'nothing, and gone', text: '', ends: true }),
  () => ({
    name: 'a header that never ends',
    text: 'GET /v1/queues HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ',
    drip: 'y',
  }),
  () => ({
    name: 'header after header',
    text: 'GET /v1/queues HTTP/1.1\r\nhost: 127.0.0.1\r\n',
    drip: 'x: y\r\n',
  }),
  () => ({ name: 'a body that never ends', text: post('content-length: 60000') + '{"body":"', drip: 'z' }),
  () => ({ name: 'chunk after chunk', text: post('transfer-encoding: chunked'), drip: '1\r\n[\r\n' }),
  () => ({
    name: 'a body that is shorter than said',
    text: `${post('content-length: 500')}{"body":1}`,
    ends: true,
  }),
  () => ({ name: 'a body that is longer than said', text: `${post('content-length: 3')}{"body":1}` }),
  () => ({ name: 'a negative length', text: `${post('content-length: -1')}{}` }),
  () => ({ name: 'a length that is none', text: `${post('content-length: 0x10')}{}` }),
  () => ({ name: 'a length beyond numbers', text: `${post(`content-length: ${'9'.repeat(30)}`)}{}` }),
  () => ({ name: 'two lengths', text: `${post('content-length: 2', 'content-length: 10')}{}` }),
  () => ({
    name: 'a length and chunks',
    text: `${post('content-length: 2', 'transfer-encoding: chunked')}0\r\n\r\n${get('/v1/queues')}`,
  }),
  () => ({
    name: 'a chunk of no number',
    text: `${post('transfer-encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
  }),
  () => ({
    name: 'a chunk of many digits',
    text: `${post('transfer-encoding: chunked')}${'f'.repeat(40)}\r\n`,
  }),
  () => ({ name: 'an unknown coding', text: `${post('transfer-encoding: gzip, chunked')}0\r\n\r\n` }),
  () => ({ name: 'a packed body', text: `${post('content-encoding: gzip', 'content-length: 2')}{}` }),
  () => ({
    name: 'a flood of headers',
    text: get('/v1/queues', ...Array.from({ length: 5_000 }, (_, n) => `x-${n}: y`)),
  }),
  () => ({ name: 'a long header', text: get('/v1/queues', `x: ${'y'.repeat(200_000)}`) }),
  () => ({ name: 'a long path', text: get(`/${'a'.repeat(100_000)}`) }),
  () => ({ name: 'many parameters', text: get(`/v1/search?${'a=b&'.repeat(3_000)}`) }),
  () => ({ name: 'a path of another machine', text: get('http://example.org/v1/queues') }),
  () => ({ name: 'a path that is none', text: get('//[::1') }),
  () => ({ name: 'a path that climbs', text: get('/../../../../etc/passwd') }),
  () => ({ name: 'an escape that is none', text: get('/v1/queues/%E0%A4%A') }),
  () => ({ name: 'an escaped slash', text: get('/v1/queues/..%2f..%2f') }),
  () => ({ name: 'a NUL in a header', text: get('/v1/queues', 'x: a\u0000b') }),
  () => ({ name: 'a folded header', text: get('/v1/queues', 'x: a', ' b') }),
  () => ({ name: 'a header without a name', text: get('/v1/queues', ': a') }),
  () => ({ name: 'no host', text: 'GET /v1/queues HTTP/1.1\r\n\r\n' }),
  () => ({ name: 'two hosts', text: get('/v1/queues', 'host: example.org') }),
  () => ({ name: 'an unknown method', text: `FROB /v1/queues HTTP/1.1\r\n${head()}` }),
  (chance) => ({
    name: 'a method of its own',
    text: `${chance.pick(['TRACE', 'OPTIONS', 'CONNECT', 'PROPFIND', 'HEAD', 'M-SEARCH'])} /v1/queues HTTP/1.1\r\n${head()}`,
  }),
  () => ({ name: 'an upgrade', text: get('/v1/feed', 'connection: upgrade', 'upgrade: websocket') }),
  () => ({ name: 'HTTP/2 at once', text: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' }),
  () => ({ name: 'HTTP/0.9', text: 'GET /v1/queues\r\n\r\n' }),
  () => ({ name: 'HTTP/1.0', text: 'GET /v1/queues HTTP/1.0\r\n\r\n' }),
  () => ({ name: 'an expectation', text: `${post('expect: 100-continue', 'content-length: 10')}{"body":1}` }),
  () => ({
    name: 'an unknown expectation',
    text: `${post('expect: miracles', 'content-length: 10')}{"body":1}`,
  }),
  () => ({ name: 'a hundred at once', text: get('/v1/queues').repeat(100) }),
  () => ({ name: 'a request and garbage', text: `${get('/v1/queues')}\u0000\u0001garbage\r\n\r\n` }),
  () => ({ name: 'the greeting of TLS', text: Buffer.from('16030100c8010000c40303', 'hex') }),
  (chance) => ({
    name: 'noise',
    text: Buffer.from(Array.from({ length: 2_000 }, () => Math.floor(chance.next() * 256))),
  }),
  (chance) => {
    const whole = `${post('content-length: 10')}{"body":1}`
    const cut = Math.floor(chance.next() * whole.length)
    return { name: 'a request that is cut', text: whole.slice(0, cut), ends: true }
  },
  (chance) => {
    const whole = Buffer.from(`${post('content-length: 10')}{"body":1}`)
    whole[Math.floor(chance.next() * whole.length)] = Math.floor(chance.next() * 256)
    return { name: 'a request with a byte changed', text: whole }
  },
]

/** One of the calls that no client of HTTP makes. */
export const rawCall = (chance: Chance): RawCall => {
  const { text, ...call } = chance.pick(calls)(chance)
  return { ...call, bytes: Buffer.from(text) }
}

/** What came of a call: the answer, or that the engine neither answered nor hung up in time. */
export type RawOutcome = { readonly answer: string } | 'hang'

/** Makes a call; it is over when the engine has answered or hung up. */
export const makeRawCall = ({ hostname, port }: URL, { bytes, drip, ends }: RawCall): Promise<RawOutcome> =>
  new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    let answer = ''
    let dripping: NodeJS.Timeout | undefined
    const end = (outcome: RawOutcome): void => {
      clearInterval(dripping)
      clearTimeout(late)
      socket.destroy()
      resolve(outcome)
    }
    const late = setTimeout(() => end('hang'), patienceMs)
    socket.on('connect', () => {
      socket.write(bytes)
      if (ends === true) socket.end()
      if (drip !== undefined) dripping = setInterval(() => socket.write(drip), dripMs)
    })
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      // A server that answers a request before its end must close the connection, too.
      if (drip === undefined && answer.includes('\r\n\r\n') && !answer.startsWith('HTTP/1.1 100'))
        end({ answer })
    })
    // A connection that is closed while it is written to is reset.
    socket.on('error', () => end({ answer }))
    socket.on('close', () => end({ answer }))
  })
