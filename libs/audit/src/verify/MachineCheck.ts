import {
  machineGraph,
  messageMachine,
  step,
  type MachineEvent,
  type MachineEventType,
  type MessageCell,
} from '@kiroku/message'
import { KirokuError, State, stateNames } from '@kiroku/protocol'
import { transition, type SnapshotFrom } from 'xstate'

type MessageSnapshot = SnapshotFrom<typeof messageMachine>
interface Arg {
  context: MessageCell
  event: MachineEvent
}
type Guard = (arg: Arg) => boolean

const types = [...new Set(machineGraph().edges.map((edge) => edge.event))] as MachineEventType[]
const typeIndex = Object.fromEntries(types.map((type, i) => [type, i])) as Record<MachineEventType, number>
/** Most guards of one state and event; all fit into the bits of a kind. */
const guardsMax = 5

/** For each state and event the guards that decide what happens. */
const guardTable = ((): readonly (readonly Guard[])[] => {
  const { nodes, edges } = machineGraph()
  const guards = messageMachine.implementations.guards as unknown as Record<string, Guard>
  const table: Guard[][] = []
  for (const name of stateNames) {
    const group = nodes.find((node) => node.name === name)?.parent
    for (const type of types) {
      const own = edges.filter((e) => e.event === type && (e.from === name || e.from === group))
      const names = [...new Set(own.flatMap((e) => e.guards))]
      if (names.length > guardsMax)
        throw new TypeError(`${type} of ${name} asks ${names.length} guards; there are bits for ${guardsMax}`)
      table.push(names.map((guard) => guards[guard]!))
    }
  }
  return table
})()

/**
 * The law for a reader: the compiled step, compared with XState itself once per kind of transition (state,
 * event, outcome of the guards), or every time when `deep`.
 */
export class MachineCheck {
  /** Kinds of transitions that XState has confirmed. */
  kinds = 0
  readonly #deep: boolean
  readonly #seen = new Uint8Array((stateNames.length * types.length) << guardsMax)
  readonly #arg = {} as Arg

  constructor(deep: boolean) {
    this.#deep = deep
  }

  /** Applies an event to a cell in place; false if the law does not accept it. */
  step(cell: MessageCell, event: MachineEvent): boolean {
    const row = cell.state * types.length + typeIndex[event.type]
    const guards = guardTable[row]!
    let kind = row << guardsMax
    if (guards.length > 0) {
      const arg = this.#arg
      arg.context = cell
      arg.event = event
      for (let i = 0; i < guards.length; i++) if (guards[i]!(arg)) kind |= 1 << i
    }
    if (this.#seen[kind] === 0) {
      this.#seen[kind] = 1
      this.kinds++
    } else if (!this.#deep) return step(cell, event)
    return bothWays(cell, event)
  }
}

const bothWays = (cell: MessageCell, event: MachineEvent): boolean => {
  const before = snapshotOf(cell)
  const accepted = before.can(event)
  const after = cellOf(transition(messageMachine, before, event)[0])
  const from = stateNames[cell.state]
  if (step(cell, event) !== accepted || !equal(cell, after))
    throw new KirokuError(
      'Internal',
      `the compiled law differs from the machine: ${event.type} in ${from} leads to ${stateNames[cell.state]}, not ${stateNames[after.state]}`,
    )
  return accepted
}

const equal = (a: MessageCell, b: MessageCell): boolean =>
  a.state === b.state &&
  a.attempt === b.attempt &&
  a.delivery === b.delivery &&
  a.attemptsMax === b.attemptsMax &&
  a.leaseUntil === b.leaseUntil &&
  a.leaseCap === b.leaseCap &&
  a.dueAt === b.dueAt &&
  a.reason === b.reason

const snapshotOf = ({ state, ...context }: MessageCell): MessageSnapshot => {
  const name = stateNames[state]
  return messageMachine.resolveState({
    value: (state <= State.Available ? { Ready: name } : name) as MessageSnapshot['value'],
    context,
  })
}

const cellOf = ({ value, context }: MessageSnapshot): MessageCell => {
  const name = typeof value === 'string' ? value : value.Ready
  return { ...context, state: State[name as keyof typeof State] }
}
