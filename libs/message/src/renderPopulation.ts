import { stateNames } from '@kiroku/protocol'
import { machineGraph } from './graph.ts'
import { stateTokens } from './stateTokens.ts'

/** How many messages are in each state. */
export type Population = Readonly<Record<(typeof stateNames)[number], number>>

/** How to draw. */
export interface PopulationOptions {
  /** With the colours of a terminal. */
  readonly colour?: boolean
  /** The population before: what changed is shown with its sign. */
  readonly before?: Population
}

const barWidth = 14

/** The machine with the messages that are in each of its states, one line a state. Up to 100 columns, no line break at the end. */
export const renderPopulation = (population: Population, options: PopulationOptions = {}): string => {
  const { nodes, edges } = machineGraph()
  const most = Math.max(1, ...Object.values(population))
  const paint = (state: keyof Population, text: string): string =>
    options.colour === true ? `\x1b[38;5;${stateTokens[state].ansi}m${text}\x1b[0m` : text
  const isState = (name: string): name is keyof Population => (stateNames as readonly string[]).includes(name)
  return nodes
    .map(({ name, parent }) => {
      if (!isState(name)) return name
      const count = population[name]
      const by = count - (options.before?.[name] ?? count)
      const filled = count === 0 ? 0 : Math.max(1, Math.round((count / most) * barWidth))
      const targets = edges.filter((e) => (e.from === name || e.from === parent) && e.to !== name)
      const next = [...new Set(targets.map(({ to }) => to))]
      const cells = [
        `${parent === '' ? '' : '  '}${stateTokens[name].symbol} ${name}`.padEnd(16),
        count.toLocaleString('en').padStart(9),
        (by === 0 ? '' : (by > 0 ? '+' : '') + by.toLocaleString('en')).padStart(8),
        ` ${'█'.repeat(filled)}`,
      ]
      const line = paint(name, cells.join(' '))
      return next.length === 0 ? line : `${line}${' '.repeat(barWidth - filled)} → ${next.join(' ')}`
    })
    .join('\n')
}
