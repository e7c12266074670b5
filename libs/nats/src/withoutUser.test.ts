import { expect, test } from 'vitest'
import { withoutUser } from './withoutUser.ts'

test.each([
  ['nats://ann:secret@127.0.0.1:4222', 'nats://127.0.0.1:4222'],
  ['ann:secret@nats.example.org', 'nats.example.org'],
  ['tls://token@[::1]:4222', 'tls://[::1]:4222'],
  ['nats://ann:se/cr@et@127.0.0.1:4222:x', 'nats://127.0.0.1:4222:x'],
  ['nats://127.0.0.1:4222', 'nats://127.0.0.1:4222'],
  ['127.0.0.1', '127.0.0.1'],
])('%s has the address %s', (server, address) => {
  expect(withoutUser(server)).toBe(address)
})
