import { stateNames, type State } from '@kiroku/protocol'
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import type { MachineEvent, MachineEventType } from './MachineEvent.ts'
import type { MessageCell } from './MessageCell.ts'
import { guardNames } from './guardNames.ts'

/**
 * Applies an event to a cell in place.
 * @returns whether a transition was taken; if not, the cell is as it was
 */
export type Step = (cell: MessageCell, event: MachineEvent) => boolean

type Memory = Omit<MessageCell, 'state'>
type Slot = keyof Memory

/** What a guard or an assignment is called with; one object serves all calls. */
interface Arg {
  context: MessageCell
  event: MachineEvent
}

type Guard = (arg: Arg, params: undefined) => boolean
type Read = (arg: Arg) => unknown

interface Assignment {
  readonly slots: readonly Slot[]
  readonly reads: readonly Read[]
}

interface Candidate {
  readonly guards: readonly Guard[]
  readonly assignments: readonly Assignment[]
  readonly target: State
}

type Row = Partial<Record<MachineEventType, readonly Candidate[]>>

// `schemas` is what xstate adds to the written form of the root.
const nodeKeys = new Set(['id', 'context', 'initial', 'states', 'on', 'type', 'description', 'schemas'])
const transitionKeys = new Set([
  'target',
  'guard',
  'actions',
  'description',
  'reenter',
  // What xstate adds to the written form.
  'source',
  'eventType',
  'toJSON',
])

const writers: { readonly [S in Slot]: (cell: Memory, value: Memory[S]) => void } = {
  attempt: (cell, value) => void (cell.attempt = value),
  delivery: (cell, value) => void (cell.delivery = value),
  attemptsMax: (cell, value) => void (cell.attemptsMax = value),
  leaseUntil: (cell, value) => void (cell.leaseUntil = value),
  leaseCap: (cell, value) => void (cell.leaseCap = value),
  dueAt: (cell, value) => void (cell.dueAt = value),
  reason: (cell, value) => void (cell.reason = value),
}

const refuse = (where: string, what: string): never => {
  throw new TypeError(`The message machine cannot be compiled: ${where} ${what}`)
}

/** Code of the state a message is in after it entered a node: of a group, that of its initial state. */
const codeOf = (node: AnyStateNode): State => {
  const [initial] = node.type === 'compound' ? node.initial.target : []
  if (initial !== undefined) return codeOf(initial)
  const code = stateNames.findIndex((name) => name === node.key)
  return code < 0 ? refuse(`#${node.id}`, 'has no state code') : (code as State)
}

/** The functions that must all hold. */
const compileGuard = (machine: AnyStateMachine, where: string, guard: unknown): Guard[] => {
  const names = guardNames(guard)
  if (names === undefined) return refuse(where, 'has a guard that is neither a name nor `and` over names')
  return names.map((name) => {
    const found = machine.implementations.guards[name] as unknown
    if (typeof found !== 'function') return refuse(where, `names an unknown guard "${name}"`)
    if ('check' in found) return refuse(where, `names the guard "${name}", which is not a plain function`)
    return found as Guard
  })
}

const compileAction = (machine: AnyStateMachine, where: string, action: unknown): Assignment => {
  if (typeof action !== 'string') return refuse(where, 'has an action that is not a name')
  const found = machine.implementations.actions[action] as
    | { type?: unknown; assignment?: unknown }
    | undefined
  if (found === undefined) return refuse(where, `names an unknown action "${action}"`)
  if (found.type !== 'xstate.assign')
    return refuse(where, `has the action "${action}", which is not an assign`)
  if (typeof found.assignment !== 'object' || found.assignment === null) {
    return refuse(where, `has the action "${action}", which is not written property by property`)
  }
  const slots: Slot[] = []
  const reads: Read[] = []
  for (const [slot, value] of Object.entries(found.assignment)) {
    if (!(slot in writers)) refuse(where, `assigns "${slot}", which no cell has`)
    slots.push(slot as Slot)
    reads.push(typeof value === 'function' ? (value as Read) : () => value as unknown)
  }
  return { slots, reads }
}

type Transition = AnyStateNode['transitions'] extends Map<string, (infer T)[]> ? T : never

const compileTransition = (
  machine: AnyStateMachine,
  leaf: AnyStateNode,
  transition: Transition,
): Candidate => {
  const where = `${transition.eventType} of #${transition.source.id}`
  for (const key of Object.keys(transition)) {
    if (!transitionKeys.has(key)) refuse(where, `uses "${key}"`)
  }
  if (/\*|^xstate\./.test(transition.eventType)) refuse(where, 'is not a plain event')
  const [target = leaf, second] = transition.target ?? []
  if (second !== undefined) refuse(where, 'has several targets')
  return {
    guards: compileGuard(machine, where, transition.guard),
    assignments: transition.actions.map((action: unknown) => compileAction(machine, where, action)),
    target: codeOf(target),
  }
}

const checkStates = (node: AnyStateNode): void => {
  const where = `#${node.id}`
  for (const key of Object.keys(node.config)) {
    if (!nodeKeys.has(key)) refuse(where, `uses "${key}"`)
  }
  if (node.type === 'parallel' || node.type === 'history') refuse(where, `is of type "${node.type}"`)
  if (node.type === 'compound' && node.initial.actions.length > 0) {
    refuse(where, 'has actions on its initial transition')
  }
  for (const child of Object.values(node.states)) checkStates(child)
}

/**
 * Compiles a machine of messages into one function, so that the hot path pays a table look-up for what
 * xstate does in ten microseconds. Knows named guards, `and` over them, and named assigns written property
 * by property; everything else is refused here, at start-up, because the table could not follow it.
 *
 * @param machine its leaf states carry the names in `stateNames`
 * @throws TypeError naming the state and the feature that is not known, or a state that is missing
 */
export const compile = (machine: AnyStateMachine): Step => {
  const rows: (Row | undefined)[] = stateNames.map(() => undefined)

  const walk = (node: AnyStateNode, ancestors: readonly AnyStateNode[]): void => {
    const lineage = [node, ...ancestors]
    if (node.type === 'compound') {
      for (const child of Object.values(node.states)) walk(child, lineage)
      return
    }
    const row: Record<string, Candidate[]> = Object.create(null) as Record<string, Candidate[]>
    // A child's transitions come before its parent's: xstate looks outwards until one is allowed.
    for (const owner of lineage) {
      if (owner === machine.root && owner.transitions.size > 0) refuse('the root', 'has transitions')
      for (const [type, transitions] of owner.transitions) {
        ;(row[type] ??= []).push(...transitions.map((each) => compileTransition(machine, node, each)))
      }
    }
    const code = codeOf(node)
    if (rows[code] !== undefined) refuse(`#${node.id}`, 'has the name of another state')
    rows[code] = row
  }
  checkStates(machine.root)
  walk(machine.root, [])

  const table = rows.map((row, code) => row ?? refuse('the machine', `has no state "${stateNames[code]}"`))
  return run(table)
}

const run = (table: readonly Row[]): Step => {
  const arg = {} as Arg
  const values: unknown[] = []

  const allowed = (guards: readonly Guard[]): boolean => {
    for (const guard of guards) if (!guard(arg, undefined)) return false
    return true
  }
  const apply = (cell: MessageCell, { slots, reads }: Assignment): void => {
    // All values are read before the first is written: they see the cell as it was.
    for (let i = 0; i < reads.length; i++) values[i] = reads[i]!(arg)
    for (let i = 0; i < slots.length; i++)
      (writers[slots[i]!] as (cell: Memory, value: unknown) => void)(cell, values[i])
  }
  return (cell, event) => {
    const candidates = table[cell.state]![event.type]
    if (candidates === undefined) return false
    arg.context = cell
    arg.event = event
    for (const candidate of candidates) {
      if (!allowed(candidate.guards)) continue
      for (const assignment of candidate.assignments) apply(cell, assignment)
      cell.state = candidate.target
      return true
    }
    return false
  }
}
