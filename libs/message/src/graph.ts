import type { AnyStateNode } from 'xstate'
import { guardNames } from './guardNames.ts'
import { messageMachine } from './machine.ts'

/** A state of the machine; a group has children and is never the state of a message by itself. */
export interface GraphNode {
  readonly name: string
  readonly kind: 'group' | 'state' | 'final'
  /** Name of the group it belongs to; empty at the top. */
  readonly parent: string
  /** Whether it is where its group, or the machine, begins. */
  readonly initial: boolean
  readonly description: string
}

/** A transition. Of those with the same `from` and `event` the first whose guards all hold is taken. */
export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly event: string
  readonly guards: readonly string[]
  readonly actions: readonly string[]
}

/** The machine as plain data, in the order in which it is written. */
export interface MachineGraph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

const kindOf = (node: AnyStateNode): GraphNode['kind'] =>
  node.type === 'compound' ? 'group' : node.type === 'final' ? 'final' : 'state'

/** The message machine as a graph, for pictures and for counting which transitions something takes. */
export const machineGraph = (): MachineGraph => {
  const nodes: GraphNode[] = []
  const edges: GraphEdge[] = []
  const walk = (node: AnyStateNode, group: AnyStateNode): void => {
    nodes.push({
      name: node.key,
      kind: kindOf(node),
      parent: group.parent === undefined ? '' : group.key,
      initial: group.initial.target[0] === node,
      description: node.description ?? '',
    })
    for (const [event, transitions] of node.transitions) {
      for (const { target, guard, actions } of transitions) {
        edges.push({
          from: node.key,
          to: target?.[0]?.key ?? node.key,
          event,
          guards: guardNames(guard) ?? [],
          actions: actions.map(String),
        })
      }
    }
    for (const child of Object.values(node.states)) walk(child, node)
  }
  for (const node of Object.values(messageMachine.root.states)) walk(node, messageMachine.root)
  return { nodes, edges }
}
