/**
 * Records a corpus: runs `drive.ts` with the code of a commit and keeps the log that this leaves.
 *
 *     node specs/golden/record.ts NAME COMMIT [FEATURE…]
 *
 * Features that the commit has: subscriptions, groups, dedup, recall, redrive, attempts, deferral, discard,
 * unlimited, notes. A
 * corpus is never recorded again: it represents logs on users' disks.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'

const here = import.meta.dirname
const [name, commit, ...features] = process.argv.slice(2)
if (name === undefined || commit === undefined) throw new Error('say which NAME and which COMMIT')
const file = join(here, 'corpora', `${name}.json.br`)
if (existsSync(file)) throw new Error(`${file} exists; a recorded corpus is never overwritten`)

const folder = mkdtempSync(join(tmpdir(), 'kiroku-golden-'))
const worktree = join(folder, 'code')
const git = (...args: string[]) => execFileSync('git', ['-C', here, ...args], { stdio: 'inherit' })
git('worktree', 'add', '--detach', worktree, commit)
try {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: worktree, stdio: 'ignore' })
  const driver = join(worktree, 'libs', 'testkit', 'src', 'goldenDrive.ts')
  copyFileSync(join(here, 'drive.ts'), driver)
  const corpus = execFileSync(join(worktree, 'node_modules', '.bin', 'node'), [driver, ...features], {
    cwd: worktree,
    maxBuffer: 2 ** 28,
  })
  mkdirSync(join(here, 'corpora'), { recursive: true })
  writeFileSync(file, brotliCompressSync(corpus))
} finally {
  git('worktree', 'remove', '--force', worktree)
  rmSync(folder, { recursive: true, force: true })
}
