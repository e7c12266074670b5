import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ownRoot } from '../LoadProcess.ts'

const run = promisify(execFile)

/** Another commit of the project next to this one, with its packages, for as long as it is needed. */
export class Checkout {
  readonly root: string
  readonly commit: string

  private constructor(root: string, commit: string) {
    this.root = root
    this.commit = commit
  }

  /** Makes one of a tag, branch or commit. Errors: git knows no such one; npm cannot install its packages. */
  static async make(ref: string): Promise<Checkout> {
    const commit = await run('git', ['-C', ownRoot, 'rev-parse', '--verify', `${ref}^{commit}`]).then(
      ({ stdout }) => stdout.trim(),
      () => {
        throw new Error(`git knows no commit "${ref}"; fetch it with \`git fetch --tags\``)
      },
    )
    const root = await mkdtemp(join(tmpdir(), 'kiroku-against-'))
    const checkout = new Checkout(root, commit)
    try {
      await run('git', ['-C', ownRoot, 'worktree', 'add', '--detach', '--force', root, commit])
      await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root })
      return checkout
    } catch (error) {
      await checkout.remove()
      throw error
    }
  }

  async remove(): Promise<void> {
    await run('git', ['-C', ownRoot, 'worktree', 'remove', '--force', this.root]).catch(() => {})
    await rm(this.root, { recursive: true, force: true })
  }
}
