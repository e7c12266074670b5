import { stateNames } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { renderPopulation, type Population } from './renderPopulation.ts'

const empty = Object.fromEntries(stateNames.map((name) => [name, 0])) as Population
const population = { ...empty, Available: 1_200, Inflight: 3, DLQ: 1 }

it('draws each state of the machine once, with its messages and where they may go', () => {
  const lines = renderPopulation(population).split('\n')
  for (const name of stateNames)
    expect(lines.filter((line) => line.match(new RegExp(`^ *. ${name} `)))).toHaveLength(1)
  expect(lines.find((line) => line.includes('Available '))).toMatch(
    /^ {2}○ Available +1,200 .*█+ → .*Inflight/,
  )
  expect(lines.every((line) => line.length <= 100)).toBe(true)
})

it('says what changed, with its sign', () => {
  const before = { ...population, Available: 1_203, Inflight: 0 }
  const text = renderPopulation(population, { before })
  expect(text).toMatch(/Available +1,200 +-3 /)
  expect(text).toMatch(/Inflight +3 +\+3 /)
})

it('uses colours only where they are asked for', () => {
  expect(renderPopulation(population)).not.toContain('\x1b')
  expect(renderPopulation(population, { colour: true })).toContain('\x1b[38;5;39m')
})
