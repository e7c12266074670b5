import { refusals } from './refusals.ts'
import { type Command, defaultQueueConfig, State } from '@kiroku/protocol'
import { expect } from 'vitest'
import type { Clients } from './Clients.ts'
import type { ReferencePartition } from './ReferencePartition.ts'
import { type LawSub, timeOf } from './ReferenceQueue.ts'
import { numbersOf, type TestPartition } from './TestPartition.ts'

/** Looks at the deliveries of the last turn as a consumer would, and remembers them. */
export const consume = (p: TestPartition, law: ReferencePartition, clients: Clients): void => {
  for (const { token, delivery: d } of p.said) {
    if (d === undefined) continue
    const only = clients.groups.get(token)
    if (only !== undefined) reached.set('a group', (reached.get('a group') ?? 0) + 1)
    const all = numbersOf(d.numbers)
    expect(new Set(all).size).toBe(all.length)
    expect([d.attempts.length, d.enqueuedAt.length, d.seqs.length, d.indexes.length]).toEqual(
      Array(4).fill(all.length),
    )
    const queue = law.queues.get(d.queue)
    // One that was asked for again was there before other commands of the turn, which may have undone it.
    const isPast = d.isRepeat === true
    if (isPast && queue?.subs.get(d.sub) === undefined) continue
    const { messages, subs } = queue!
    for (const [i, n] of all.entries()) {
      const m = messages.get(n)!
      const sub = subs.get(d.sub)!
      const cell = sub.cells.get(n)!
      expect(p.bodies.get(`${d.seqs[i]}/${d.queue}`)?.[d.indexes[i]!]).toBe(m.body)
      if (only !== undefined) expect(m.group).toBe(only)
      if (isPast) continue
      expect([d.attempts[i], d.enqueuedAt[i]]).toEqual([cell.attempt, timeOf(sub, n, m)])
      expect([cell.delivery, cell.leaseUntil]).toEqual([d.delivery, d.leaseUntil])
      // A lease of 0 ends with the turn that gives it.
      expect(cell.state === State.Inflight).toBe(d.leaseUntil > p.now)
      if (d.leaseUntil === p.now) reached.set('a lease of 0', (reached.get('a lease of 0') ?? 0) + 1)
    }
    if (d.attempt !== undefined) clients.got.push(d.attempt)
    if (!isPast) keepsToLimits(p.now, subs.get(d.sub)!, all.length, clients)
    clients.deliveries.push({ queue: d.queue, sub: d.sub, delivery: d.delivery, numbers: d.numbers })
  }
}

/** Whether a delivery that was just made is within what its subscription may have; limits may be younger than what is out. */
const keepsToLimits = (now: number, sub: LawSub, count: number, clients: Clients): void => {
  const { rateMax, inflightMax, concurrencyMax } = { ...defaultQueueConfig, ...sub.config }
  const inflight = [...sub.cells.values()].filter((cell) => cell.state === State.Inflight)
  if (inflightMax > 0) expect(inflight.length).toBeLessThanOrEqual(inflightMax)
  if (concurrencyMax > 0)
    expect(new Set(inflight.map((cell) => cell.delivery)).size).toBeLessThanOrEqual(concurrencyMax)
  if (rateMax === 0) {
    clients.paces.delete(sub)
    return
  }
  const pace = clients.paces.get(sub)
  if (pace?.rateMax !== rateMax) return void clients.paces.set(sub, { rateMax, since: now, count: 0 })
  pace.count += count
  expect(pace.count).toBeLessThanOrEqual(rateMax + ((now - pace.since) * rateMax) / 1_000)
}

/** What the law expects of the first command of a turn, if that settles. */
export const foresee = (
  p: TestPartition,
  law: ReferencePartition,
  command: Command | undefined,
): number[] | undefined => {
  switch (command?.type) {
    case 'Release':
      return refusals(law, 'Release', command.items, p.now, {
        dueAt: p.now + (command.delayMs ?? 0),
        leaseMs: 0,
      })
    case 'Ack':
    case 'DeadLetter':
      return refusals(law, command.type, command.items, p.now, { dueAt: 0, leaseMs: 0 })
    case 'Retry':
      return refusals(law, 'Retry', command.items, p.now, {
        dueAt: p.now + (command.delayMs ?? 1),
        leaseMs: 0,
      })
    case 'Extend':
      return refusals(law, 'Extend', command.items, p.now, { dueAt: 0, leaseMs: command.leaseMs })
    default:
      return undefined
  }
}

/** Whether the law lets the first command of a turn recall its message; undefined if it does not ask for that. */
export const foreseeRecall = (law: ReferencePartition, command: Command | undefined): boolean | undefined =>
  command?.type === 'Recall'
    ? (law.queues.get(command.queue)?.delayed.has(command.number) ?? false)
    : undefined

export const reached = new Map<string, number>()
