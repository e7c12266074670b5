import { encodeRecord } from '@kiroku/log'
import type { LogEvent } from '@kiroku/protocol'
import { decodeCheckpoint } from '@kiroku/testkit/engine'
import { describe, expect, it } from 'vitest'
import { body, forge, lastFrame, tester } from '../testing/TestRecord.ts'
import {
  deferred,
  delivered,
  engine,
  enqueued,
  expectFound,
  held,
  of,
  oneBody,
  revised,
  scene,
  withHonestRecord,
} from '../testing/TestTampering.ts'
import { verify } from './verify.ts'

withHonestRecord()

it('finds nothing in the honest part, nor in honest frames that a test writes', async () => {
  await forge(engine.log, 0, [enqueued(6), delivered(4)], oneBody())
  const report = await verify(engine.log, { decodeCheckpoint, deep: true })
  expect(report.partitions.map((p) => p.problem)).toEqual([undefined, undefined])
  expect(report.totals).toMatchObject({ sent: 6, committed: 1, live: 5 })
})

describe('a message that was', () => {
  it('lost is found: a number that never came in', () =>
    expectFound(/message 7 .* where 6 is next/, [enqueued(7)], oneBody()))
  it('lost is found: a record that is gone', async () => {
    const seq = (await lastFrame(engine.log, 0)).seq
    engine.log.faults.loseRecord(0, seq)
    const { partitions } = await verify(engine.log, { decodeCheckpoint })
    expect(partitions[0]!.problem).toMatchObject({ id: 'LogDamaged', seq })
  })
  it('lost is found: a confirmed dead letter that never arrived', async () => {
    const target = { partition: 1, queue: scene.dead }
    await forge(engine.log, 0, [
      { type: 'DeadLettered', ...of(2), cause: 'onPurpose', error: '', target, forward: 1 },
    ])
    await expectFound(/forward 1 .* never stored/, [
      { type: 'Forwarded', source: scene.mail, target, upTo: 2, outcome: 'stored' },
    ])
  })
  it('doubled is found: a send that is stored again', () =>
    expectFound(/send 2 of producer p is stored twice/, [enqueued(6, { send: 2 })], oneBody()))
  it('doubled is found: one leased to two consumers', () =>
    expectFound(/is Inflight and does not accept DELIVER/, [delivered(2)]))
  it('doubled is found: one that a delivery names twice', () =>
    expectFound(/twice/, [delivered(4, { numbers: [4, 1, 4, 1] })]))
  it('doubled is found: a dead letter that was never sent', async () => {
    const from = { partition: 0, queue: scene.mail }
    const received = {
      type: 'ForwardReceived',
      queue: scene.dead,
      first: 1,
      count: 1,
      from,
      forward: 1,
    } as const
    const sections = [{ queue: scene.dead, bodies: [body('x')] }]
    const event: LogEvent = { ...received, bytes: 2, enqueuedAt: [1] }
    const seq = await forge(engine.log, 1, [event], { sections })
    const first = await verify(engine.log, { decodeCheckpoint })
    expect(first.partitions[1]!.problem).toMatchObject({ seq, message: expect.stringMatching(/never sent/) })
    const again = await forge(engine.log, 1, [{ ...event, first: 2 }], { sections })
    const second = await verify(engine.log, { decodeCheckpoint })
    expect(second.partitions[1]!.problem).toMatchObject({
      seq: again,
      message: expect.stringMatching(/twice/),
    })
  })
  it('resurrected is found: a final one that is delivered', () => expectFound(/message 1 /, [delivered(1)]))
  it('resurrected is found: a final one that returns', () =>
    expectFound(/not live/, [{ type: 'Released', ...of(1), cause: 'client' }]))
})

describe('a step outside the law is found:', () => {
  it('an ack of what was never received', () => expectFound(/not live/, [{ type: 'Acked', ...of(4) }]))
  it('a retry of what waits for its retry', () =>
    expectFound(/WaitingRetry and does not accept RETRY/, [
      { type: 'RetryScheduled', ...of(3), dueAt: 0, error: '' },
    ]))
  it('a delivery of what is delayed', () => expectFound(/message 5 /, [delivered(5)]))
  it('a delivery ahead of its turn while another is next', async () => {
    await forge(engine.log, 0, [enqueued(6)], oneBody())
    await expectFound(/message 6 /, [delivered(6)])
  })
  it('a delivery with a limit that is not in force', () =>
    expectFound(/allows 9 attempts/, [delivered(4, { attemptsMax: 9 })]))
  it('a lease beyond its cap', () =>
    expectFound(/not allowed/, [delivered(4, { leaseUntil: scene.at + 60_001 })]))
  it('an extension beyond the cap', () =>
    expectFound(/does not accept EXTEND/, [
      { type: 'LeaseExtended', ...of(2), leaseUntil: scene.at + 3_600_000 },
    ]))
  it('a delivery of a paused queue', () =>
    expectFound(/paused/, [{ type: 'DeliveryPaused', queue: scene.mail, by: tester }, delivered(4)]))
  it('a delivery while the subscription is held', () =>
    expectFound(/paused/, [deferred(2, scene.at + 5_000), held(scene.at + 5_000), delivered(4)]))
  it('a hold that is shorter than the one before', async () => {
    await forge(engine.log, 0, [held(scene.at + 5_000)])
    await expectFound(/no longer than before/, [held(scene.at + 4_000)])
  })
  it('a hold that ends at once', () => expectFound(/no longer than before/, [held(scene.at)]))
  it('a deferral of what is not leased', () =>
    expectFound(/WaitingRetry and does not accept RELEASE/, [deferred(3, scene.at + 5_000)]))
  it('a deferral that is due at once and yet waits', () =>
    expectFound(/to Available by the law, not to WaitingRetry/, [deferred(2, scene.at)]))
  it('a dead letter to a queue that is not the configured one', () =>
    expectFound(/not its own/, [
      {
        type: 'DeadLettered',
        ...of(2),
        cause: 'onPurpose',
        error: '',
        target: { partition: 1, queue: 77 },
        forward: 1,
      },
    ]))
  describe('a redrive', () => {
    const started = (change: object = {}): LogEvent => ({
      type: 'RedriveStarted',
      queue: scene.mail,
      sub: 0,
      task: 1,
      request: 'r',
      to: 'origin',
      filter: {},
      rateMax: 0,
      messagesMax: 0,
      upTo: 5,
      by: tester,
      ...change,
    })
    const redriven = (numbers: number[], change: object = {}): LogEvent => ({
      type: 'Redriven',
      queue: scene.mail,
      sub: 0,
      task: 1,
      numbers,
      target: { partition: 1, queue: scene.dead },
      name: 'dead',
      forward: 1,
      ...change,
    })
    const ended = (task = 1): LogEvent => ({
      type: 'RedriveEnded',
      queue: scene.mail,
      sub: 0,
      task,
      outcome: 'completed',
      skipped: {},
      filtered: 0,
      left: 0,
      note: '',
    })
    it('that is honest is not reported', async () => {
      await forge(engine.log, 0, [started(), redriven([4, 1]), ended()])
      const { partitions, totals } = await verify(engine.log, { decodeCheckpoint, deep: true })
      expect([partitions[0]!.problem, totals.discarded]).toEqual([undefined, 1])
    })
    it('of what was not selected', () =>
      expectFound(/not selected/, [started({ selection: [3, 1] }), redriven([4, 1])]))
    it('that selects a message twice', () =>
      expectFound(/select messages in their order/, [started({ selection: [3, 2, 4, 1] })]))
    it('of what is in flight', () => expectFound(/not available/, [started(), redriven([2, 1])]))
    it('of what is final', () => expectFound(/not available/, [started(), redriven([1, 1])]))
    it('of what is delayed', () => expectFound(/not available/, [started(), redriven([5, 1])]))
    it('of one message twice', () => expectFound(/in their order/, [started(), redriven([4, 1, 4, 1])]))
    it('of what came later', () => expectFound(/beyond 3/, [started({ upTo: 3 }), redriven([4, 1])]))
    it('that was never started', () => expectFound(/not running/, [redriven([4, 1])]))
    it('that has ended', () => expectFound(/not running/, [started(), ended(), redriven([4, 1])]))
    it('that begins while another is running', () =>
      expectFound(/not done/, [started(), started({ task: 2 })]))
    it('with a number that is not next', () => expectFound(/where 1 is next/, [started({ task: 2 })]))
    it('to the queue itself', () =>
      expectFound(/does not go to/, [
        started(),
        redriven([4, 1], { target: { partition: 0, queue: scene.mail } }),
      ]))
    it('to another queue than the named one', () =>
      expectFound(/does not go to/, [
        started({ to: { partition: 1, queue: 77, name: 'x' } }),
        redriven([4, 1]),
      ]))
    it('with a forward out of turn', () =>
      expectFound(/where 1 is next/, [started(), redriven([4, 1], { forward: 2 })]))
    it('of more messages than were asked for', async () => {
      await forge(engine.log, 0, [enqueued(6)], oneBody())
      await expectFound(/more than 1/, [
        started({ messagesMax: 1, upTo: 6 }),
        redriven([4, 1]),
        redriven([6, 1], { forward: 2 }),
      ])
    })
  })
  it('a recall of what is not delayed', () => expectFound(/not delayed/, [revised('Recalled', 4)]))
  it('a new time for what is not delayed', () =>
    expectFound(/not delayed/, [revised('Rescheduled', 2, { dueAt: scene.at + 1 })]))
  it('a new time in the past', () =>
    expectFound(/which has passed/, [revised('Rescheduled', 5, { dueAt: scene.at - 1 })]))
  it('a message that comes after it was recalled', async () => {
    await forge(engine.log, 0, [revised('Recalled', 5)])
    await expectFound(/do not wait/, [{ type: 'DelayElapsed', queue: scene.mail, numbers: [5, 1] }], {
      at: scene.delayedUntil,
    })
  })
  it('a message without its body', () => expectFound(/0 bodies .* for 1 messages/, [enqueued(6)]))
  it('a body without its message', () => expectFound(/no message for them/, [], oneBody()))
})

describe('a timer that fires early is found:', () => {
  it('of a lease', () =>
    expectFound(/does not accept LEASE_EXPIRED/, [{ type: 'LeaseExpired', ...of(2), dueAt: 0 }], {
      at: scene.leaseUntil - 1_000,
    }))
  it('of a pause', () =>
    expectFound(/does not accept RETRY_DUE/, [{ type: 'RetryDue', ...of(3) }], {
      at: scene.pausedUntil - 1_000,
    }))
  it('of a delay', () =>
    expectFound(/later/, [{ type: 'DelayElapsed', queue: scene.mail, numbers: [5, 1] }], {
      at: scene.delayedUntil - 1_000,
    }))
  it('of the retention', () =>
    expectFound(/is kept until/, [
      { type: 'Discarded', ...of(4), reason: 'expired', cause: 'retention', error: '' },
    ]))
  it('by a clock that jumps', () =>
    expectFound(/0 ms passed/, [{ type: 'ClockResumed', now: scene.at, gapMs: 60_000 }]))
  it('by a step of the time that no clocks disagreed about', () =>
    expectFound(/time continues at/, [{ type: 'ClockResumed', now: scene.at + 60_000, gapMs: 60_000 }]))
  it('by a decision about clocks that agree', () =>
    expectFound(/no dispute between clocks/, [
      { type: 'ClockResumed', now: scene.at, gapMs: 0, clock: 'node', by: { name: 'a', origin: 'b' } },
    ]))
  it('and so is time that goes back', () => expectFound(/time goes back/, [], { at: scene.at - 1 }))
  it('while one that fires in time is not', async () => {
    await forge(engine.log, 0, [{ type: 'LeaseExpired', ...of(2), dueAt: 0 }], { at: scene.leaseUntil })
    expect(await verify(engine.log, { decodeCheckpoint })).toMatchObject({ ok: true })
  })
})

describe('a forged outcome is found:', () => {
  const discarded = (change: object): LogEvent => ({
    type: 'Discarded',
    ...of(2),
    reason: 'exhausted',
    cause: 'retry',
    error: '',
    ...change,
  })
  it('given up although attempts are left', () =>
    expectFound(/to Available by the law, not to Discarded/, [discarded({})]))
  it('given up by a reason that is not the cause', () =>
    expectFound(/the reason is "exhausted"/, [discarded({ cause: 'retention' })], {
      at: scene.at + 5 * 86_400_000,
    }))
  it('retried although no attempts are left', async () => {
    await forge(engine.log, 0, [{ type: 'RetryDue', ...of(3) }, delivered(3, leaseAt(scene.pausedUntil))], {
      at: scene.pausedUntil,
    })
    await expectFound(/to DLQ by the law, not to Available/, [
      { type: 'RetryScheduled', ...of(3), dueAt: 0, error: '' },
    ])
  })
  it('a pause that the policy does not make', () =>
    expectFound(
      /pauses 5000 ms, not 0 to 0/,
      [{ type: 'LeaseExpired', ...of(2), dueAt: scene.leaseUntil + 5_000 }],
      { at: scene.leaseUntil },
    ))
  it('a forward that is not the next one', () =>
    expectFound(/forward 5 comes where 1 is next/, [
      {
        type: 'DeadLettered',
        ...of(2),
        cause: 'onPurpose',
        error: '',
        target: { partition: 1, queue: scene.dead },
        forward: 5,
      },
    ]))
  const leaseAt = (at: number) => ({ leaseUntil: at + 30_000, leaseCap: at + 60_000 })
})

describe('a former owner is found', () => {
  it('by its epoch', async () => {
    const { epoch, at, hash } = await lastFrame(engine.log, 0)
    const stale = encodeRecord({ epoch: epoch - 1, at, events: [enqueued(6)], ...oneBody() }, hash)
    const seq = engine.log.faults.write(0, stale.bytes)
    const { partitions } = await verify(engine.log, { decodeCheckpoint })
    expect(partitions[0]!.problem).toMatchObject({ seq, message: expect.stringMatching(/epoch/) })
  })
})
