import type { RedriveDescription } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { describeRedrive, redriveTable } from './describeRedrive.ts'

const redrive: RedriveDescription = {
  task: 3,
  queue: 'dead',
  subscription: 'main',
  dryRun: false,
  state: 'completed',
  to: 'origin',
  filter: {},
  rateMax: 50,
  messagesMax: 0,
  startedAt: Date.UTC(2026, 10, 21, 2, 24, 23),
  endedAt: Date.UTC(2026, 10, 21, 2, 25),
  note: '',
  by: { name: 'ada', origin: 'cli' },
  moved: 298,
  targets: [
    { queue: 'orders', moved: 200 },
    { queue: 'mail', moved: 98 },
  ],
  skipped: { noOrigin: 1, tooOld: 13 },
  filtered: 20,
  left: 0,
}

it('a redrive says what went where, and what stays and why', () => {
  expect(describeRedrive(redrive)).toBe(
    `redrive 3 of dead completed
298 messages moved
  to  orders  200
  to  mail    98
1 message stays: not dead letters, so they have no origin; name a queue with --to
13 messages stay: the target would discard them at once, because of their age
20 messages stay: the filter does not let them pass`,
  )
})

it('a dry run says what would be moved', () => {
  const text = describeRedrive({ ...redrive, task: 0, dryRun: true, subscription: 'eu' })
  expect(text).toContain('dry run of dead:eu completed\n298 messages would be moved\n')
  expect(text).toContain('20 messages would stay: the filter does not let them pass')
})

it('one that failed says why, and what is left', () => {
  const text = describeRedrive({
    ...redrive,
    state: 'failed',
    note: 'queue "x" is gone',
    skipped: {},
    filtered: 0,
    left: 7,
  })
  expect(text).toMatch(/^redrive 3 of dead failed: queue "x" is gone\n[^]*7 messages left$/)
})

it('several are shown in a table', () => {
  const named = { ...redrive, task: 2, to: { name: 'inspect', partition: 1, queue: 2 }, rateMax: 0 }
  expect(redriveTable([redrive, named]).split('\n')).toEqual([
    'redrive  state      to       rate  moved  left  filtered  skipped  started              by',
    '3        completed  origin   50/s  298    0     20        14       2026-11-21 02:24:23  ada',
    '2        completed  inspect        298    0     20        14       2026-11-21 02:24:23  ada',
  ])
})
