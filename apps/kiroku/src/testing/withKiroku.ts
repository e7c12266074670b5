import { temporaryFolder, type TemporaryFolder } from '@kiroku/testkit'
import { afterEach, beforeEach } from 'vitest'
import { Kiroku } from './Kiroku.ts'

/**
 * The command line in a folder of its own for each test of the file (or `describe`) it is called in; what it started is
 * ended, and the folder removed, after the test.
 *
 * @returns a function that returns it, inside tests and hooks
 */
export const withKiroku = (env: Readonly<Record<string, string>> = {}): (() => Kiroku) => {
  let folder: TemporaryFolder
  let kiroku: Kiroku
  beforeEach(async () => {
    folder = await temporaryFolder()
    kiroku = new Kiroku(folder.path, env)
  })
  afterEach(async () => {
    await kiroku.killAll()
    await folder.remove()
  })
  return () => kiroku
}
