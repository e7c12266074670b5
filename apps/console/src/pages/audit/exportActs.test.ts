import { expect, it } from 'vitest'
import { actsAsCsv, actsAsNdjson, actsCommand } from './exportActs.ts'

const act = {
  partition: 3,
  seq: 266,
  index: 0,
  at: Date.UTC(2026, 10, 21, 14, 2, 31),
  event: 'QueueConfigured',
  queue: 'mail',
  by: { name: 'ada', origin: 'http 127.0.0.1', reason: 'slow, "very" slow' },
  before: { leaseMs: 30_000 },
  after: { leaseMs: 60_000 },
} as const

it('a spreadsheet gets one line per act, with quotes where needed', () => {
  expect(actsAsCsv([act]).split('\r\n')).toEqual([
    'when,who,from,what,queue,subscription,why,change,partition,seq',
    '2026-11-21T14:02:31.000Z,ada,http 127.0.0.1,changed the queue,mail,,"slow, ""very"" slow",lease 30 s → 1 min,3,266',
    '',
  ])
})

it('a reason is never run as a formula', () => {
  expect(actsAsCsv([{ ...act, by: { ...act.by, reason: '=1+1' } }])).toContain(",'=1+1,")
})

it('lines of JSON give the acts back', () => {
  const lines = actsAsNdjson([act, act]).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([act, act])
})

it('the command line requests the same', () => {
  expect(actsCommand({})).toBe('kiroku acts')
  expect(actsCommand({ queue: 'mail', actor: "ada's laptop", since: '24h' })).toBe(
    `kiroku acts --queue mail --actor 'ada'\\''s laptop' --since 24h`,
  )
})
