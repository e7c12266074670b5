import { expect, it } from 'vitest'
import { stateNames } from '@kiroku/protocol'
import { machineGraph, renderMachine } from './index.ts'

const { nodes, edges } = machineGraph()

it('the machine has exactly six states at its top', () => {
  expect(nodes.filter((node) => node.parent === '').map((node) => node.name)).toEqual([
    'Ready',
    'Inflight',
    'WaitingRetry',
    'Committed',
    'DLQ',
    'Discarded',
  ])
})

it('the states that are no groups are those that have a code', () => {
  const names = nodes.filter((node) => node.kind !== 'group').map((node) => node.name)
  expect(names.sort()).toEqual([...stateNames].sort())
})

it('final states have no way out and every other state has one', () => {
  for (const node of nodes) {
    expect(
      edges.some((edge) => edge.from === node.name),
      node.name,
    ).toBe(node.kind !== 'final')
  }
})

it('every state says what it means', () => {
  expect(nodes.filter((node) => node.description === '')).toEqual([])
})

it('the JSON form is the graph', () => {
  expect(JSON.parse(renderMachine('json'))).toEqual({ nodes, edges })
})

it('the text form fits into 100 columns of ASCII and shows a line for every transition', () => {
  const lines = renderMachine('ascii').split('\n')
  for (const line of lines) expect(line).toMatch(/^[ -~]{0,100}$/)
  expect(lines.filter((line) => line.includes(' -> ')).length).toBe(edges.length)
})

it('the Mermaid form has every transition with its event and guards, and the group around its children', () => {
  const lines = renderMachine('mermaid').split('\n')
  expect(lines[0]).toBe('stateDiagram-v2')
  for (const { from, to, event, guards } of edges) {
    const label = guards.length === 0 ? event : `${event} [${guards.join(' & ')}]`
    const arrow = lines.find((line) => line.startsWith(`  ${from} --> ${to} : `))
    expect(arrow?.split(' : ')[1]?.split('<br/>')).toContain(label)
  }
  const begin = lines.indexOf('  state Ready {')
  const group = lines.slice(begin + 1, lines.indexOf('  }', begin))
  expect(group.map((line) => line.trim())).toEqual(['Held', 'Delayed', '[*] --> Available', 'Available'])
})
