/**
 * `node tools/simulation.ts [--rotating]`: runs the simulator's seeds, then has its checkers catch its broken engines, from
 * the first seed on. With `--rotating` as many seeds as a few minutes allow, and only the broken engines whose turn it is: a
 * third by the commit's hash, and all where the last commits changed what catches them. What is simulated changes with every
 * change of the engine as well; that is what the turns are for.
 */
import { spawnSync } from 'node:child_process'
import { brokenNames } from '../specs/simulation/run/hunt.ts'
import { inTurn, lately } from './rotation.ts'
import { root } from './runTarget.ts'

/** What a hunt is made of besides the engines. */
const catching = ['broken', 'checkers', 'run'].map((room) => `specs/simulation/${room}/`)
/** Two idle cores of a recent machine run all seeds in this time. */
const minutes = 1.8

const isRotating = process.argv.includes('--rotating')

const simulate = (...args: ReadonlyArray<string>): number =>
  spawnSync(process.execPath, ['specs/simulation/main.ts', '--seed', '1', ...args], {
    cwd: root,
    stdio: 'inherit',
  }).status ?? 1

const hunt = (): number => {
  const all = brokenNames()
  const names = isRotating ? inTurn(all, { concerns: catching, parts: 3 }, lately()) : all
  const status = simulate('--broken', ...names)
  if (names.length < all.length)
    console.error(`LEFT OUT: ${all.length - names.length} of ${all.length} broken engines`)
  return status
}

process.exitCode = simulate(...(isRotating ? ['--minutes', String(minutes)] : [])) || hunt()
