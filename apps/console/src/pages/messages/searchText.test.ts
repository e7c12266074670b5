import { describe, expect, it } from 'vitest'
import {
  isKnownThen,
  knownThen,
  momentCommand,
  recordsBehind,
  searchCommand,
  statesOf,
  withQueue,
  withState,
} from './searchText.ts'

describe('a filter and its states', () => {
  it('gains and loses a state, and keeps the rest', () => {
    expect(withState('', 'DLQ')).toBe('state:dlq')
    expect(withState('queue:mail state:dlq', 'WaitingRetry')).toBe('state:dlq,waiting queue:mail')
    expect(withState('state:dlq error:"timed out"', 'DLQ')).toBe('error:"timed out"')
  })

  it('names the states that its words include', () => {
    expect([...statesOf('state:live')]).toEqual(['Held', 'Delayed', 'Available', 'Inflight', 'WaitingRetry'])
    expect([...statesOf('-state:dlq')]).toEqual([])
    expect([...statesOf('no filter')]).toEqual([])
  })

  it('keeps the part that is known of the past', () => {
    expect(isKnownThen('state:live  attempt:>3 -group:a')).toBe(true)
    expect(isKnownThen('attempt:>3 error:x')).toBe(false)
    expect(knownThen('attempt:>3 error:x -group:a payload.n:1')).toBe('attempt:>3 -group:a')
  })
})

it('includes the chosen queue', () => {
  expect(withQueue('state:dlq', 'mail')).toBe('state:dlq queue:mail')
  expect(withQueue('', 'a queue')).toBe('queue:"a queue"')
  expect(withQueue('state:dlq', undefined)).toBe('state:dlq')
})

it('is written as a command that a shell reads as one word', () => {
  expect(searchCommand(`error:"it's"`)).toBe(`kiroku search 'error:"it'\\''s"'`)
  expect(searchCommand('state:dlq')).toBe('kiroku search state:dlq')
  expect(momentCommand('', 'mail', '3/1234')).toBe('kiroku replay mail --at 3/1234')
  expect(momentCommand('attempt:>3', 'mail', '3/1234')).toBe(
    "kiroku replay mail --at 3/1234 --where 'attempt:>3'",
  )
})

it('counts the records that an answer does not cover', () => {
  const log = [
    { partition: 0, lastSeq: 10 },
    { partition: 1, lastSeq: 5 },
  ]
  expect(recordsBehind([{ partition: 0, seq: 7 }], log)).toBe(8)
  expect(
    recordsBehind(
      [
        { partition: 0, seq: 12 },
        { partition: 1, seq: 5 },
      ],
      log,
    ),
  ).toBe(0)
})
