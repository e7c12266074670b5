import { type LogEvent, type Answers, type Command, featureLevel, type QueueConfig } from '@kiroku/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeQueues, snapshot, stateHash, type Turn, type TurnAnswer } from './index.ts'
import { Times } from './ownership/Times.ts'
import { freeSlot } from './store/LiveSlab.ts'
import { by, Clients } from './testing/Clients.ts'
import { ReferencePartition } from './testing/ReferencePartition.ts'
import { TestPartition } from './testing/TestPartition.ts'
import { TestRepeats } from './testing/TestRepeats.ts'
import { created, names, turns, type Value } from './testing/arbitraryTurns.ts'
import { compare } from './testing/compareWithReference.ts'
import { consume, foresee, foreseeRecall, reached } from './testing/foresee.ts'
import { chance, editSome, eraseSome, moveSome, said } from './testing/shellActs.ts'

/** Answers without the ages of queues, which a younger ownership may know more exactly, within a second. */
const ageless = (said: readonly TurnAnswer[]): unknown =>
  JSON.parse(JSON.stringify(said, (key, value: unknown) => (key === 'oldestAgeMs' ? 0 : value)))

const play = (script: Value<typeof turns>, configs: Partial<QueueConfig>[], forkAt: number): void => {
  const p = new TestPartition()
  const law = new ReferencePartition()
  const clients = new Clients()
  const repeats = new TestRepeats()
  const tokens: number[] = []
  let fork: TestPartition | undefined
  const look = (at = p.now): void => {
    for (const e of p.events) {
      const type = e.type === 'LeaseExtended' && e.attempt !== undefined ? 'a repeated receive' : e.type
      reached.set(type, (reached.get(type) ?? 0) + 1)
    }
    law.read(p.events, at, (queue) => p.bodies.get(`${p.state.frameSeq}/${queue}`) ?? [])
    repeats.read(p.events)
    consume(p, law, clients)
    compare(p.own, law)
    if (fork === undefined) return
    expect(fork.events).toEqual(p.events)
    expect(ageless(fork.said)).toEqual(ageless(p.said))
  }
  const turn = (commands: Command[]): number[] => {
    if (fork !== undefined) fork.now = p.now
    const told = p.turn(...commands)
    for (const [i, c] of commands.entries())
      if (c.type === 'Receive' && c.group !== undefined) clients.groups.set(told[i]!, c.group)
    fork?.turn(...commands)
    look()
    return told
  }
  const act = (decide: (turn: Turn) => void): void => {
    if (fork !== undefined) fork.now = p.now
    p.act(decide)
    fork?.act(decide)
    look()
  }
  const record = (...events: LogEvent[]): void =>
    act((turn) => {
      for (const event of events) turn.emit(event)
    })
  const fill = (arrivals: number): void => {
    for (const sub of [...p.state.filling]) {
      if (fork !== undefined) fork.now = p.now
      p.fill(sub, arrivals)
      fork?.fill(fork.state.subscriptionOf(sub.queue.id, sub.id)!, arrivals)
      look()
    }
  }
  turn([
    { type: 'RaiseClusterVersion', version: featureLevel, by },
    ...names.map((queue, i) => ({ type: 'CreateQueue', queue, config: configs[i]!, by }) as const),
  ])
  for (const [i, { ops, passMs, owner, arrivals }] of script.entries()) {
    if (i === forkAt) {
      fork = p.fork()
      // Who waits for keys to be deleted, what lanes wait for and how long things took is forgotten with a restart.
      p.own.awaitingErased = []
      Object.assign(p.own, { times: new Times() })
      p.own.held.clear()
      law.read(p.events, p.now, () => [])
    }
    p.now += passMs
    p.random = chance(i)
    if (fork !== undefined) fork.random = chance(i)
    const commands = ops.map((o) => clients.command(o, p))
    const first = commands[0]
    const foreseen = ops[0]?.op === 'settle' || ops[0]?.op === 'defer' ? foresee(p, law, first) : undefined
    const isRecalled = ops[0]?.op === 'revise' ? foreseeRecall(law, first) : undefined
    const told = turn(commands)
    tokens.push(...told)
    for (const [k, command] of commands.entries())
      if (command.type === 'Enqueue') {
        const stored = p.answers.get(told[k]!)!.answer?.ok as Answers['Enqueue'] | undefined
        const q = law.queues.get(stored?.queue ?? 0)
        if (stored !== undefined && q !== undefined) repeats.hold(command, stored, q.config.dedupScope)
      }
    const answer = p.answers.get(told[0]!)?.answer
    if (isRecalled !== undefined) expect(answer?.error === undefined).toBe(isRecalled)
    if (foreseen !== undefined && answer?.error === undefined)
      expect((answer?.ok as { refused: { number: number }[] }).refused.map((r) => r.number)).toEqual(foreseen)
    if (owner === 'resumed') {
      p.now += 40
      record(
        { type: 'OwnerChanged', epoch: i, node: 'n', part: 1, of: 1 },
        { type: 'ClockResumed', now: p.now, gapMs: 40 },
      )
    }
    if (owner === 'disputed') {
      p.now++
      record(
        { type: 'OwnerChanged', epoch: i, node: 'n', part: 1, of: 1 },
        { type: 'ClockResumed', now: p.now, gapMs: 0, dispute: { storeMs: p.now + 700, nodeMs: p.now } },
      )
    }
    if (owner === 'agreed') {
      if (fork !== undefined) fork.now = p.now
      const at = p.now
      p.step(700)
      fork?.step(700)
      look(at)
    }
    if (owner === 'moves') act((turn) => moveSome(turn, chance(i)))
    if (owner === 'edits') act((turn) => editSome(turn, chance(i), i))
    if (owner === 'erases') act((turn) => eraseSome(turn, chance(i), 1_000_000 + i))
    if (owner === 'fill') fill(arrivals)
    if (owner === 'stored')
      for (const { source, target, next } of [...p.state.outbox.values()])
        act((turn) => said(turn, source, target, { outcome: 'stored', upTo: next - (i % 2) }))
    if (i % 3 === 1)
      for (const { source, target, entries } of [...p.state.outbox.values()]) {
        const upTo = entries[0]?.forward ?? 1
        const stored = upTo + (i % 4 === 0 ? 1 : 0)
        const again = i % 2 === 0 ? {} : { again: target.queue + 100 }
        act((turn) => said(turn, source, target, { outcome: 'targetGone', upTo, stored, ...again }))
      }
  }
  // In the end every message is final, every receive was answered, and nothing is left behind.
  for (let i = 0; i < 40; i++) {
    p.now += 250
    p.random = chance(i)
    if (fork !== undefined) fork.random = chance(i)
    turn([])
    if (i % 5 === 0) fill(i < 20 ? 10 : Number.POSITIVE_INFINITY)
  }
  if (fork !== undefined) expect(stateHash(snapshot(fork.state))).toBe(stateHash(snapshot(p.state)))
  for (const token of tokens) expect(p.answers.has(token)).toBe(true)
  for (const { counts } of describeQueues(p.state, p.state.queues.values(), p.now))
    expect(counts).toMatchObject({ delayed: 0, available: 0, inflight: 0, waitingRetry: 0 })
  expect([p.state.live.used, p.state.runs.used, p.own.polls.size, p.state.delayedRuns.size]).toEqual([
    0, 0, 0, 0,
  ])
  expect(p.state.dedup.size).toBe(0)
  expect(p.state.live.state.subarray(0, p.state.live.top).every((s) => s === freeSlot)).toBe(true)
}

describe('a partition of several queues, whatever it is asked', () => {
  it('keeps to the law, loses nothing, and is the same after a replay or a restart', () => {
    fc.assert(fc.property(turns, fc.array(created, { minLength: 3, maxLength: 3 }), fc.nat(60), play), {
      seed: 20_261_125,
      numRuns: 625,
    })
    // The sequences were not all about nothing.
    const rare = [
      'DeadLettered',
      'Discarded',
      'RetryDue',
      'LeaseExtended',
      'Released',
      'Deferred',
      'DeliveryHeld',
      'DelayElapsed',
      'Recalled',
      'Rescheduled',
      'Deduplicated',
      'a repeated receive',
      'a group',
      'a lease of 0',
      'QueuePurged',
      'QueueNoted',
      'SubscriptionCreated',
      'SubscriptionReset',
      'SubscriptionDeleted',
      'BodyEdited',
      'RedriveStarted',
      'Redriven',
      'RedriveEnded',
      'Erased',
      'KeysDeleted',
      'RunsRestored',
      'SubscriptionFilled',
    ]
    for (const type of [
      ...rare,
      'ForwardReceived',
      'Forwarded',
      'Readdressed',
      'QueueDeleted',
      'Acked',
      'LeaseExpired',
    ])
      expect(reached.get(type) ?? 0, type).toBeGreaterThan(20)
  })
})
