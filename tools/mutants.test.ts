import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyMutant } from '../specs/mutants/applyMutant.ts'
import { mutants } from '../specs/mutants/mutants.ts'
import { promiseOf } from '../specs/mutants/SpecMutant.ts'
import { brokenEngines } from '../specs/simulation/broken/brokenEngines.ts'
import { promisesIn } from './comparePromises.ts'
import { judgeMutant, type JudgedTest } from './judgeMutant.ts'
import { root, runCommand } from './runTarget.ts'
import { specFiles } from './specFiles.ts'

const textOf = (file: string): string => readFileSync(path.join(root, file), 'utf8')

describe('a mutant', () => {
  const mutant = { file: 'libs/a/src/b.ts', from: 'a < b', to: 'a <= b', what: 'one too many' }

  it('replaces its text and leaves the rest', () => {
    expect(applyMutant(mutant, 'if (a < b) $& // b < a')).toBe('if (a <= b) $& // b < a')
  })

  it('puts dollar signs in as they are', () => {
    expect(applyMutant({ ...mutant, to: '`${a}$&`' }, '(a < b)')).toBe('(`${a}$&`)')
  })

  it.each([
    ['is not there', 'if (b > a)', 0],
    ['stands there twice', 'a < b && a < b', 2],
    ['stands there three times', 'a < b, a < b, a < b', 3],
  ])('is refused when its text %s', (_how, source, times) => {
    expect(() => applyMutant(mutant, source)).toThrow(
      `"one too many" expects its text once in libs/a/src/b.ts, and it stands there ${times} times. Adapt \`from\`: a < b`,
    )
  })
})

describe('the list of mutants', () => {
  const promises = promisesIn(textOf('specs/promises.md'))

  it('has one for each of at least 40 promises', () => {
    const ids = mutants.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !promises.includes(promiseOf({ id })))).toEqual([])
    expect(ids.length).toBeGreaterThanOrEqual(40)
  })

  it.each(mutants)('$id still breaks $file', (mutant) => {
    const source = textOf(mutant.file)
    expect(applyMutant(mutant, source)).not.toBe(source)
  })

  it.each(brokenEngines)('the simulator’s "$name" still breaks $file', (engine) => {
    const source = textOf(engine.file)
    expect(applyMutant(engine, source)).not.toBe(source)
  })

  it.each(mutants)('$id has a spec', (mutant) => {
    expect(specFiles(mutant).filter((file) => textOf(file).includes(`[${promiseOf(mutant)}]`))).not.toEqual(
      [],
    )
  })
})

describe('what judges a mutant', () => {
  // The file that sees it may be the last to run, and each may take as long as the run of a mutant may.
  it.each(mutants)('$id: at most four files', (mutant) => {
    expect(specFiles(mutant).length).toBeLessThanOrEqual(4)
  })
})

describe('a mutant is', () => {
  const run = (status: 'passed' | 'failed' | 'skipped', ...failureMessages: string[]) => ({
    fullName: `delays [CF-10] of a send`,
    status,
    failureMessages,
  })

  it('killed by a failed assertion of a spec with its id', () => {
    const tests = [run('passed'), run('failed', 'AssertionError: expected 1 to be 2\n    at spec.ts:1:1')]
    expect(judgeMutant('CF-10', tests)).toEqual({
      verdict: 'killed',
      why: 'AssertionError: expected 1 to be 2',
    })
  })

  it('killed by a promise that came out otherwise', () => {
    const tests = [run('failed', 'Error: promise resolved "undefined" instead of rejecting\n    at x')]
    expect(judgeMutant('CF-10', tests).verdict).toBe('killed')
  })

  it('a survivor when all of them pass', () => {
    const tests = [run('passed'), { ...run('failed', 'AssertionError: no'), fullName: '[CF-11] another' }]
    expect(judgeMutant('CF-10', tests)).toEqual({
      verdict: 'survived',
      why: 'specs that pass: 1',
    })
  })

  it('broken when they fail by anything else', () => {
    const tests = [run('failed', 'ReferenceError: a is not defined\n    at x')]
    expect(judgeMutant('CF-10', tests)).toEqual({
      verdict: 'broken',
      why: 'ReferenceError: a is not defined',
    })
  })

  it('broken when none of them runs', () => {
    expect(judgeMutant('CF-10', []).verdict).toBe('broken')
    expect(judgeMutant('CF-10', [run('skipped')]).verdict).toBe('broken')
  })
})

describe('the run of a mutant', () => {
  let folder: string
  beforeAll(() => void (folder = mkdtempSync(path.join(os.tmpdir(), 'kiroku-mutants-'))))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('ends at the first assertion that fails, and has reported it even if it does not come to its own end', async () => {
    const report = path.join(folder, 'report.json')
    const spec = `
      import { setTimeout } from 'node:timers/promises'
      import { afterAll, expect, it } from 'vitest'
      it('[CF-10] stands', () => undefined)
      it('[CF-10] falls', () => expect(1).toBe(2))
      it('[CF-10] is not reached', () => setTimeout(60_000), 60_000)
      afterAll(() => process.kill(process.ppid, 'SIGKILL'))`
    writeFileSync(path.join(folder, 'a.test.ts'), spec)
    writeFileSync(path.join(folder, 'vitest.config.ts'), `export default { test: { pool: 'forks' } }`)
    const command = `vitest run --root ${folder} --reporter=${path.join(root, 'tools/mutantReporter.ts')}`
    const env = { KIROKU_MUTANT_REPORT: report }
    const { output } = await runCommand('specs', command, 1, { env, output: 'held' })

    const tests = JSON.parse(readFileSync(report, 'utf8')) as JudgedTest[]
    expect(
      tests.map(({ status }) => status),
      output,
    ).toEqual(['passed', 'failed'])
    expect(judgeMutant('CF-10', tests)).toEqual({
      verdict: 'killed',
      why: 'AssertionError: expected 1 to be 2 // Object.is equality',
    })
  })
})
