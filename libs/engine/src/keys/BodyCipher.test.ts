import { isSealed, MemoryKeys, readSealed, type BodyRef } from '@kiroku/log'
import {
  bodiesBefore,
  decide,
  endTurn,
  Ownership,
  PartitionState,
  snapshot,
  Turn,
  type OldBodies,
} from '@kiroku/partition'
import type { CommandOf } from '@kiroku/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Bringing } from '../actor/Mailbox.ts'
import { messageBytes } from '../actor/commandBytes.ts'
import { LargeBodyWrite } from '../bodies/LargeBodyWrite.ts'
import { sha256 } from '../sha256.ts'
import { body, by, receive, text } from '../testing/startTestNode.ts'
import { BodyCipher } from './BodyCipher.ts'
import { KeyRing } from './KeyRing.ts'

const now = 1_700_000_000_000
const elsewhere = { partition: 1, queue: 1, name: 'dead' }

let state: PartitionState
let own: Ownership
let ring: KeyRing
let cipher: BodyCipher
/** Bodies that were given records of their own, with every try. */
let written: (readonly Uint8Array[])[]
let frames: Map<number, readonly BodyRef[]>
let sends = 0

const send = (...messages: string[]): CommandOf<'Enqueue'> => ({
  type: 'Enqueue',
  queue: 'mail',
  producer: 'p',
  send: ++sends,
  messages: messages.map(body),
})

/** Decides a frame and seals it; what its queue has in it then. */
const frame = (run: (turn: Turn<BodyRef>) => void): Uint8Array[] => {
  const seq = state.frameSeq + 1
  const turn = new Turn<BodyRef>(own, now, () => 0, sha256)
  state.beginFrame(seq, now)
  run(turn)
  endTurn(turn)
  cipher.encrypt(turn)
  const bodies = turn.sections.get(1)?.bodies ?? []
  frames.set(seq, bodies)
  return bodies as Uint8Array[]
}
const bodiesOf = (old: readonly OldBodies[]) =>
  old.map((of) => ({ old: of, bodies: frames.get(of.seq)!.slice(of.index, of.index + of.count) }))
const keysOf = (bodies: readonly Uint8Array[]) =>
  bodies.map((sealed) => (isSealed(sealed) ? readSealed(sealed).head.keys : 'none'))
const textsOf = async (bodies: readonly Uint8Array[]) =>
  (await ring.open(bodies)).map((one) => (one.state === 'open' ? text(one.message) : one.state))

beforeEach(async () => {
  state = new PartitionState(0)
  own = new Ownership(state)
  frames = new Map()
  written = []
  ring = new KeyRing(
    new MemoryKeys(16 * 86_400_000, () => now),
    () => now,
    () => true,
  )
  ring.begin({ state })
  cipher = new BodyCipher(ring, {
    replace: async (mail, messages) => {
      written.push(messages)
      mail.write = new LargeBodyWrite(messages, 0)
    },
  })
  cipher.begin({ state })
  const config = { erasable: 'message', retriesMax: 0, deadLetter: elsewhere } as const
  frame((turn) => decide(turn, { type: 'CreateQueue', queue: 'mail', config, by }, 1))
  await ring.provide(ring.missingBlocks(state.queues.get(1)!, 10))
})

describe('a send whose frame stores older bodies again', () => {
  it('is sealed with the keys of its own numbers, behind the bodies of messages', async () => {
    frame((turn) => decide(turn, send('a', 'b'), 1))
    const old = bodiesOf(bodiesBefore(snapshot(state), state.frameSeq + 1).bodies)
    const bodies = frame((turn) => {
      decide(turn, { type: 'CarryBodies', carried: old, seq: state.frameSeq })
      decide(turn, send('c'), 1)
    })
    expect(keysOf(bodies)).toEqual([['m.0.1.1'], ['m.0.1.2'], ['m.0.1.3']])
    expect(await textsOf(bodies)).toEqual(['a', 'b', 'c'])
  })

  it('is sealed with the keys of its own numbers, behind the bodies of dead letters', async () => {
    frame((turn) => decide(turn, send('a', 'b'), 1))
    frame((turn) => decide(turn, receive('mail', 2), 1))
    const items = [{ queue: 1, sub: 0, delivery: 1, numbers: [1, 2] }]
    frame((turn) => decide(turn, { type: 'DeadLetter', items }, 1))
    const old = bodiesOf(bodiesBefore(snapshot(state), state.frameSeq + 1).bodies)
    const bodies = frame((turn) => {
      decide(turn, { type: 'CarryBodies', carried: old, seq: state.frameSeq })
      decide(turn, send('c'), 1)
    })
    expect(keysOf(bodies)).toEqual([['m.0.1.1'], ['m.0.1.2'], ['m.0.1.3']])
    expect(await textsOf(bodies)).toEqual(['a', 'b', 'c'])
  })
})

describe('a large body of an erasable queue', () => {
  const given = (queue = 'mail'): Bringing => {
    const command = { ...send('large'), queue }
    return { command, token: 1, bytes: 1_000, bodyBytes: messageBytes(command), writesLate: true }
  }

  it('is sealed and stored once, under the key of its number', async () => {
    const mail = given()
    await cipher.look(mail, now)
    expect(cipher.look(mail, now)).toBeUndefined()
    expect(written.map(keysOf)).toEqual([[['m.0.1.1']]])
  })

  it('is sealed again where its number went to another while its record was written', async () => {
    const mail = given()
    await cipher.look(mail, now)
    frame((turn) => decide(turn, send('first'), 1))
    await cipher.look(mail, now)
    expect(cipher.look(mail, now)).toBeUndefined()
    expect(written.map(keysOf)).toEqual([[['m.0.1.1']], [['m.0.1.2']]])
    expect(await textsOf(written[1]!)).toEqual(['large'])
  })

  it('is stored once, in plain text, where its queue came to be meanwhile and is not erasable', async () => {
    const mail = given('plain')
    frame((turn) => decide(turn, { type: 'CreateQueue', queue: 'plain', config: {}, by }, 1))
    await cipher.look(mail, now)
    expect(cipher.look(mail, now)).toBeUndefined()
    expect(written.map(keysOf)).toEqual([['none']])
  })

  it('is stored in plain text again where its queue is made again and is not erasable', async () => {
    const mail = given()
    await cipher.look(mail, now)
    frame((turn) => {
      decide(turn, { type: 'DeleteQueue', queue: 'mail', by }, 1)
      decide(turn, { type: 'CreateQueue', queue: 'mail', config: {}, by }, 2)
    })
    await cipher.look(mail, now)
    expect(cipher.look(mail, now)).toBeUndefined()
    expect(written.map(keysOf)).toEqual([[['m.0.1.1']], ['none']])
  })

  it('has the key of its number also among letters of which some came before', async () => {
    const forward = (...messages: string[]): CommandOf<'Forward'> => ({
      type: 'Forward',
      from: { partition: 1, queue: 7 },
      target: 1,
      forward: 1,
      messages: messages.map(body),
      enqueuedAt: messages.map(() => now),
    })
    frame((turn) => decide(turn, forward('a', 'b'), 1))
    const command = forward('a', 'b', 'c', 'd')
    const mail: Bringing = {
      command,
      token: 1,
      bytes: 1_000,
      bodyBytes: messageBytes(command),
      writesLate: true,
    }
    await cipher.look(mail, now)
    expect(written.map(keysOf)).toEqual([['none', 'none', ['m.0.1.3'], ['m.0.1.4']]])
  })
})
