import { describe, expect, it } from 'vitest'
import { and, assign, createMachine, not, raise, type AnyStateMachine } from 'xstate'
import { compile } from './compile.ts'
import { State } from '@kiroku/protocol'
import { newCell, type MachineEvent } from './index.ts'

type Written = Record<string, unknown>

/** A machine with every state of a message, and what a test adds to it. */
const machineWith = (
  added: { available?: Written; ready?: Written; committed?: Written; root?: Written } = {},
  implementations: Written = {},
): AnyStateMachine => {
  const { state: _state, ...context } = newCell()
  const config = {
    id: 'message',
    context,
    initial: 'Ready',
    states: {
      Ready: {
        initial: 'Available',
        states: { Held: {}, Delayed: {}, Available: { ...added.available } },
        ...added.ready,
      },
      Inflight: {},
      WaitingRetry: {},
      Committed: { type: 'final', ...added.committed },
      DLQ: { type: 'final' },
      Discarded: { type: 'final' },
    },
    ...added.root,
  }
  return createMachine(config as never, implementations as never) as AnyStateMachine
}
const ack: MachineEvent = {
  type: 'ACK',
  delivery: 1,
  policy: { attemptsMax: 1, exhaustion: 'onExpiry', hasDeadLetter: false, lateHandles: 'reject' },
}
const onAck = (transition: unknown): Written => ({ on: { ACK: transition } })

describe('what the compiler follows', () => {
  it.each([
    [true, State.DLQ],
    [false, State.Committed],
  ])('looks at the state first (allowed: %s), then at the group around it', (allowed, state) => {
    const machine = machineWith(
      {
        available: onAck({ guard: 'own', target: '#message.DLQ' }),
        ready: onAck({ target: '#message.Committed' }),
      },
      { guards: { own: () => allowed } },
    )
    const cell = newCell()
    expect(compile(machine)(cell, ack)).toBe(true)
    expect(cell.state).toBe(state)
  })
  it('enters a group at its initial state', () => {
    const cell = newCell(State.Held)
    expect(
      compile(machineWith({ ready: onAck({ target: '#message.Ready', reenter: true }) }))(cell, ack),
    ).toBe(true)
    expect(cell.state).toBe(State.Available)
  })
  it('keeps the state of a transition without a target', () => {
    const cell = newCell(State.Delayed)
    const machine = machineWith(
      { ready: onAck({ actions: 'mark' }) },
      { actions: { mark: assign({ dueAt: 5 } as never) } },
    )
    expect(compile(machine)(cell, ack)).toBe(true)
    expect(cell).toEqual(newCell(State.Delayed, 5))
  })
  it('computes all properties of one assign from the cell as it was', () => {
    const swap = assign({
      attempt: ({ context }: { context: { delivery: number } }) => context.delivery,
      delivery: ({ context }: { context: { attempt: number } }) => context.attempt,
    } as never)
    const cell = { ...newCell(), attempt: 1, delivery: 2 }
    compile(machineWith({ available: onAck({ actions: 'swap' }) }, { actions: { swap } }))(cell, ack)
    expect(cell).toMatchObject({ attempt: 2, delivery: 1 })
  })
  it('lets a second action see what the first assigned', () => {
    const more = assign({
      attempt: ({ context }: { context: { attempt: number } }) => context.attempt + 1,
    } as never)
    const cell = newCell()
    compile(machineWith({ available: onAck({ actions: ['more', 'more'] }) }, { actions: { more } }))(
      cell,
      ack,
    )
    expect(cell.attempt).toBe(2)
  })
  it('takes a transition with `and` only if every part holds', () => {
    const guards = { yes: () => true, no: () => false }
    const guarded = (names: string[]) =>
      compile(
        machineWith({ available: onAck({ guard: and(names as never), target: '#message.DLQ' }) }, { guards }),
      )
    expect(guarded(['yes', 'no'])(newCell(), ack)).toBe(false)
    expect(guarded(['yes', 'yes'])(newCell(), ack)).toBe(true)
  })
})

describe('what the compiler does not know is refused at start-up:', () => {
  const doNothing = () => undefined
  const refused: [string, AnyStateMachine, RegExp][] = [
    ['a delayed transition', machineWith({ available: { after: { 10: '#message.DLQ' } } }), /"after"/],
    ['an invoked actor', machineWith({ available: { invoke: { src: 'x' } } }), /"invoke"/],
    ['an eventless transition', machineWith({ available: { always: '#message.DLQ' } }), /"always"/],
    ['an entry action', machineWith({ available: { entry: 'x' } }), /"entry"/],
    ['an exit action', machineWith({ available: { exit: 'x' } }), /"exit"/],
    ['a completion transition', machineWith({ ready: { onDone: '#message.DLQ' } }), /"onDone"/],
    ['an output', machineWith({ committed: { output: 1 } }), /"output"/],
    ['parallel states', machineWith({ ready: { type: 'parallel', initial: undefined } }), /parallel/],
    ['history', machineWith({ available: { type: 'history' } }), /history/],
    [
      'a transition for every event',
      machineWith({ available: { on: { '*': '#message.DLQ' } } }),
      /plain event/,
    ],
    ['a transition of the root', machineWith({ root: onAck({ target: '.DLQ' }) }), /the root/],
    ['an inline guard', machineWith({ available: onAck({ guard: () => true }) }), /neither a name/],
    [
      'a guard with parameters',
      machineWith({ available: onAck({ guard: { type: 'g', params: {} } }) }, { guards: { g: () => true } }),
      /neither a name/,
    ],
    ['a negated guard', machineWith({ available: onAck({ guard: not('g' as never) }) }), /neither a name/],
    [
      'a negated part of a guard',
      machineWith({ available: onAck({ guard: and([not('g' as never)]) }) }),
      /neither a name/,
    ],
    ['a guard nobody wrote', machineWith({ available: onAck({ guard: 'g' }) }), /unknown guard "g"/],
    [
      'a combined guard behind a name',
      machineWith({ available: onAck({ guard: 'g' }) }, { guards: { g: not('h' as never) } }),
      /not a plain function/,
    ],
    ['an inline action', machineWith({ available: onAck({ actions: doNothing }) }), /not a name/],
    [
      'an action with parameters',
      machineWith({ available: onAck({ actions: { type: 'a' } }) }),
      /not a name/,
    ],
    ['an action nobody wrote', machineWith({ available: onAck({ actions: 'a' }) }), /unknown action "a"/],
    [
      'an action with an effect',
      machineWith({ available: onAck({ actions: 'a' }) }, { actions: { a: doNothing } }),
      /not an assign/,
    ],
    [
      'a raised event',
      machineWith({ available: onAck({ actions: 'a' }) }, { actions: { a: raise({ type: 'x' } as never) } }),
      /not an assign/,
    ],
    [
      'an assign written as one function',
      machineWith({ available: onAck({ actions: 'a' }) }, { actions: { a: assign((() => ({})) as never) } }),
      /property by property/,
    ],
    [
      'an assign to what no cell has',
      machineWith({ available: onAck({ actions: 'a' }) }, { actions: { a: assign({ other: 1 } as never) } }),
      /assigns "other"/,
    ],
    [
      'actions on an initial transition',
      machineWith({ ready: { initial: { target: 'Available', actions: 'a' } } }),
      /initial transition/,
    ],
    [
      'a state without a code',
      machineWith({ ready: { states: { Available: {}, Other: {} } } }),
      /no state code/,
    ],
    ['a missing state', machineWith({ ready: { states: { Available: {} } } }), /no state "Held"/],
    [
      'a state that is there twice',
      machineWith({ ready: { states: { Available: {}, DLQ: {} } } }),
      /another state/,
    ],
  ]
  it.each(refused)('%s', (_, machine, message) => {
    expect(() => compile(machine)).toThrow(message)
  })
  it('nothing of the plain machine', () => {
    expect(compile(machineWith())(newCell(), ack)).toBe(false)
  })
})
