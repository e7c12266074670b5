import { expect, it } from 'vitest'
import { parseHttpAddress } from './HttpAddress.ts'

it.each([
  ['127.0.0.1:8480', '127.0.0.1', 8480],
  ['8480', '127.0.0.1', 8480],
  [':0', '127.0.0.1', 0],
  ['localhost:80', 'localhost', 80],
  ['[::1]:80', '::1', 80],
  ['0.0.0.0:80', '0.0.0.0', 80],
])('the address %s is host %s, port %d', (text, host, port) => {
  expect(parseHttpAddress(text)).toEqual({ host, port })
})

it.each(['', 'localhost', '127.0.0.1:', '127.0.0.1:99999', '::1:80', 'http://x:80', 'a b:80'])(
  '"%s" is no address',
  (text) => {
    expect(() => parseHttpAddress(text)).toThrow(/is not HOST:PORT/)
  },
)
