import { KirokuError } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { inFlags } from './inFlags.ts'

const flags = ['lease', 'max', 'batch-wait'].map((name) => ({
  name,
  kind: 'text' as const,
  description: name,
}))
const told = (message: string): string =>
  inFlags(new KirokuError('InvalidArgument', message), { flags }).message

it.each([
  ['leaseMs must be from 0 ms to 12 h, not 20 d', '--lease must be from 0 ms to 12 h, not 20 d'],
  [
    'max must be a whole number from 1 to 1000, not 5000',
    '--max must be a whole number from 1 to 1000, not 5000',
  ],
  ['batchWaitMs must be a number', '--batch-wait must be a number'],
])('names the flag in place of the option that it set: %s', (message, flag) =>
  expect(told(message)).toBe(flag),
)

it.each(['delayMs must be 0', 'lease must', 'there is no queue "max"', 'the max must be 3'])(
  'leaves alone what is about no flag: %s',
  (message) => expect(told(message)).toBe(message),
)
