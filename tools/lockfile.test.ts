import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('`npm ci` accepts the lockfile: every package.json and every platform is in it', async () => {
  const root = path.resolve(import.meta.dirname, '..')
  const said = await promisify(execFile)('npm', ['ci', '--dry-run', '--offline', '--no-audit'], {
    cwd: root,
  }).then(
    () => '',
    (error: { stderr: string }) => error.stderr,
  )
  expect(said).toBe('')
})
