import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { comparePromises, promisesIn } from './comparePromises.ts'

const list = '| id | promise |\n|---|---|\n| CF-01 | a |\n| CF-02 | b |\n| ENG-11 | c |\n'

it('the promises are the first column of the tables', () => {
  expect(promisesIn(list)).toEqual(['CF-01', 'CF-02', 'ENG-11'])
})

it('no promise is listed twice', () => {
  const promises = promisesIn(readFileSync(path.resolve(import.meta.dirname, '../specs/promises.md'), 'utf8'))
  expect(promises.length).toBeGreaterThan(0)
  expect(new Set(promises).size).toBe(promises.length)
})

it('a promise is kept by a passing spec and broken by a failing one', () => {
  const tests = [
    { fullName: 'batches [CF-01] by size', status: 'passed' },
    { fullName: 'batches [CF-02] never empty', status: 'passed' },
    { fullName: '[CF-02] [ENG-11] after a restart', status: 'failed' },
    { fullName: '[CF-99] nobody promised this', status: 'passed' },
    { fullName: '[ENG-11] later', status: 'skipped' },
  ]
  expect(comparePromises(promisesIn(list), tests)).toEqual({
    kept: ['CF-01'],
    missing: ['CF-02', 'ENG-11'],
    leftOut: [],
    unknown: ['CF-99'],
  })
})

it('a promise without any spec is missing, and a skipped spec takes nothing from one that passed', () => {
  const tests = [
    { fullName: '[CF-01] in the engine', status: 'passed' },
    { fullName: '[CF-01] in the console', status: 'skipped' },
    { fullName: '[CF-02] in the console', status: 'skipped' },
    { fullName: '[CF-02] in the engine', status: 'failed' },
  ]
  expect(comparePromises(promisesIn(list), tests)).toEqual({
    kept: ['CF-01'],
    missing: ['CF-02', 'ENG-11'],
    leftOut: [],
    unknown: [],
  })
})
