import { createMemoryLog } from '@kiroku/log'
import {
  type Answers,
  type Command,
  type CommandOf,
  KirokuError,
  type QueueConfig,
  type Reply,
} from '@kiroku/protocol'
import { ManualTime } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { by, startTestNode } from '../testing/startTestNode.ts'

type Asked = CommandOf<'PlacePart' | 'DropPart'>

/** What a part says that does as it is told, and has nothing. */
const obedient = (c: Asked): Answers['PlacePart' | 'DropPart'] =>
  c.type === 'DropPart'
    ? { revision: c.revision }
    : {
        queue: 1,
        revision: c.revision,
        purged: 0,
        ...(c.isOpen ? {} : { totals: { sent: 0, subs: {} } }),
      }

/** The home of a queue, whose parts the test plays: what they are asked, and which of them cannot be reached. */
const given = async (config: Partial<QueueConfig> = {}) => {
  const time = new ManualTime()
  const log = createMemoryLog(
    { partitions: 3 },
    {
      now: () => 1_700_000_000_000 + time.now(),
      schedule: (ms, run) => (ms === 0 ? queueMicrotask(run) : void time.after(ms, run)),
    },
  )
  const asked: { readonly partition: number; readonly command: Asked }[] = []
  const isDown = { answer: (_partition: number, _command: Asked): boolean => false }
  /** Up to which revision a part that was dropped holds what it is told for late. */
  const left = { upTo: 0 }
  const held: (() => void)[] = []
  let holds = false
  const remote = async (partition: number, commands: readonly Command[]): Promise<Reply> => {
    const command = commands[0] as Asked
    asked.push({ partition, command })
    if (holds) await new Promise<void>((resolve) => held.push(resolve))
    if (isDown.answer(partition, command)) throw new KirokuError('Unavailable', 'no owner')
    const error = { id: 'QueueMoved', message: 'this part was dropped' } as const
    const isLate = command.type === 'PlacePart' && command.revision <= left.upTo
    return { epoch: 1, seq: 1, answers: [isLate ? { error } : { ok: obedient(command) }] }
  }
  const one = await startTestNode(log, 'one', { time, remote })
  await one.ask({ type: 'CreateQueue', queue: 'mail', config, by })
  const spread = async (...partitions: number[]): Promise<void> => {
    void one.node.request(0, [{ type: 'SpreadQueue', queue: 'mail', partitions, by }])
    await time.advance(1)
  }
  return {
    time,
    log,
    one,
    asked,
    spread,
    isDown,
    left,
    hold: () => (holds = true),
    letGo: () => {
      holds = false
      for (const resolve of held.splice(0)) resolve()
    },
    state: () => one.node.actors.get(0)!.state,
    types: () => asked.map(({ command }) => command.type),
  }
}

describe('a part hears nothing', () => {
  it('of a change that is not stored', async () => {
    const { time, log, one, asked, spread, isDown, state } = await given()
    isDown.answer = () => true
    await spread(1)
    const { revision } = asked.at(-1)!.command
    log.faults.slow(60_000)
    log.faults.onAppend(0, 'full')
    const paused = one.node.request(0, [{ type: 'PauseDelivery', queue: 'mail', by }])
    await time.advance(30_000)
    expect(state().names.get('mail')!.spread!.revision).toBe(revision + 1)
    log.faults.slow(0)
    await time.advance(60_000)
    expect((await paused).answers[0]!.error?.id).toBe('StorageFull')
    expect(asked.at(-1)!.command).toMatchObject({ revision, deliveryPaused: false })
    expect(asked.filter(({ command }) => 'deliveryPaused' in command && command.deliveryPaused)).toEqual([])
    await one.close()
  })

  it('of a change that was never stored, by an answer that came late', async () => {
    const { time, log, one, asked, spread, hold, letGo } = await given()
    hold()
    await spread(1)
    log.faults.onAppend(0, 'full')
    const paused = one.node.request(0, [{ type: 'PauseDelivery', queue: 'mail', by }])
    await time.advance(1_000)
    expect((await paused).answers[0]!.error?.id).toBe('StorageFull')
    letGo()
    await time.advance(1_000)
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.filter(({ command }) => 'deliveryPaused' in command && command.deliveryPaused)).toEqual([])
    await one.close()
  })

  it('of the end of its queue before that is stored', async () => {
    const { time, log, one, spread, types } = await given()
    await spread(1)
    log.faults.slow(60_000)
    log.faults.onAppend(0, 'none', 'full')
    const created = one.ask({ type: 'CreateQueue', queue: 'other', config: {}, by })
    await time.advance(30_000)
    const deleted = one.node.request(0, [{ type: 'DeleteQueue', queue: 'mail', by }])
    await time.advance(30_000)
    expect(await created).toMatchObject({ created: true })
    log.faults.slow(0)
    await time.advance(60_000)
    expect((await deleted).answers[0]!.error?.id).toBe('StorageFull')
    expect(types()).not.toContain('DropPart')
    await one.close()
  })
})

describe('a part is opened', () => {
  it('again once the one before it is gone', async () => {
    const { time, one, asked, spread, isDown, types } = await given()
    await spread(1)
    isDown.answer = (_, { type }) => type === 'DropPart'
    await spread()
    await time.advance(100)
    expect(types().at(-1)).toBe('DropPart')
    asked.length = 0
    await spread(1)
    await time.advance(30_000)
    expect(new Set(types())).toEqual(new Set(['DropPart']))
    isDown.answer = () => false
    await time.advance(30_000)
    expect(types().at(-1)).toBe('PlacePart')
    await one.close()
  })

  it('as of a later revision, when the part was dropped by one that the home lost with the end of its log', async () => {
    const { time, one, asked, spread, left, state } = await given()
    left.upTo = 3
    await spread(1)
    await time.advance(30_000)
    expect(asked.at(-1)!.command.revision).toBe(4)
    expect(state().names.get('mail')!.spread!.parts).toMatchObject([{ partition: 1, state: 'open' }])
    await one.close()
  })

  it('with its share of a limit once the others have no more than theirs', async () => {
    const { time, one, asked, spread, isDown } = await given({ inflightMax: 12 })
    await spread(1)
    isDown.answer = (partition) => partition === 1
    await spread(1, 2)
    await time.advance(30_000)
    expect(asked.filter(({ partition }) => partition === 2)).toEqual([])
    isDown.answer = () => false
    await time.advance(30_000)
    expect(asked.at(-1)).toMatchObject({ partition: 2, command: { of: 3 } })
    await one.close()
  })
})
