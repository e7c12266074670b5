/**
 * `node tools/breakEngines.ts [--rotating]`: has the simulator's checkers catch its broken engines, from the first seed on.
 * With `--rotating` only those whose turn it is: a third by the commit's hash, and all where the last commits changed what
 * catches them. What is simulated changes with every change of the engine as well; that is what the turns are for.
 */
import { spawnSync } from 'node:child_process'
import { brokenNames } from '../specs/simulation/run/hunt.ts'
import { inTurn, lately } from './rotation.ts'
import { root } from './runTarget.ts'

/** What a hunt is made of besides the engines. */
const catching = ['broken', 'checkers', 'run'].map((room) => `specs/simulation/${room}/`)

const all = brokenNames()
const names = process.argv.includes('--rotating')
  ? inTurn(all, { concerns: catching, parts: 3 }, lately())
  : all
const args = ['specs/simulation/main.ts', '--seed', '1', '--broken', ...names]
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
if (names.length < all.length)
  console.error(`LEFT OUT: ${all.length - names.length} of ${all.length} broken engines`)
process.exitCode = status ?? 1
