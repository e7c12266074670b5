import { machineGraph, type GraphEdge, type GraphNode } from './graph.ts'

/** Forms in which the machine can be shown. */
export type MachineFormat = 'mermaid' | 'json' | 'ascii'

const condition = (edge: GraphEdge): string =>
  edge.guards.length === 0 ? '' : `[${edge.guards.join(' & ')}]`

const renderMermaid = (): string => {
  const { nodes, edges } = machineGraph()
  const lines = ['stateDiagram-v2']
  const states = (parent: string, indent: string): void => {
    for (const node of nodes.filter((each) => each.parent === parent)) {
      if (node.initial) lines.push(`${indent}[*] --> ${node.name}`)
      if (node.kind === 'group') {
        lines.push(`${indent}state ${node.name} {`)
        states(node.name, `${indent}  `)
        lines.push(`${indent}}`)
      } else {
        lines.push(indent + node.name)
      }
      if (node.kind === 'final') lines.push(`${indent}${node.name} --> [*]`)
    }
  }
  states('', '  ')
  // One arrow between two states carries all their transitions: the picture stays readable.
  const arrows = new Map<string, string[]>()
  for (const edge of edges) {
    const arrow = `${edge.from} --> ${edge.to}`
    const label = `${edge.event} ${condition(edge)}`.trimEnd()
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), label])
  }
  for (const [arrow, labels] of arrows) lines.push(`  ${arrow} : ${labels.join('<br/>')}`)
  return lines.join('\n')
}

const renderAscii = (): string => {
  const { nodes, edges } = machineGraph()
  const eventWidth = Math.max(...edges.map((edge) => edge.event.length))
  const conditionWidth = Math.max(...edges.map((edge) => condition(edge).length))
  const title = (node: GraphNode): string => {
    const name = node.parent === '' ? node.name : `${node.parent}.${node.name}`
    const marks = [node.kind === 'final' ? 'final' : '', node.initial ? 'initial' : ''].filter(Boolean)
    return marks.length === 0 ? name : `${name} (${marks.join(', ')})`
  }
  const row = (edge: GraphEdge, before: GraphEdge | undefined): string =>
    [
      '   ',
      (before?.event === edge.event ? '' : edge.event).padEnd(eventWidth),
      condition(edge).padEnd(conditionWidth),
      '->',
      edge.to,
    ].join(' ')
  const blocks = nodes.map((node) => {
    const own = edges.filter((edge) => edge.from === node.name)
    return [title(node), `  ${node.description}`, ...own.map((edge, i) => row(edge, own[i - 1]))].join('\n')
  })
  return [
    'Of the lines of one event the first is taken whose conditions all hold; if none, nothing happens.',
    ...blocks,
  ].join('\n\n')
}

/**
 * The message machine for readers, generated from the object that the engine runs.
 * @param format `ascii` fits into 100 columns
 * @returns text without a line break at its end
 */
export const renderMachine = (format: MachineFormat): string => {
  switch (format) {
    case 'mermaid':
      return renderMermaid()
    case 'json':
      return JSON.stringify(machineGraph(), undefined, 2)
    case 'ascii':
      return renderAscii()
  }
}
