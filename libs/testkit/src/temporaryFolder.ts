import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that is removed by `remove`, by `await using`, or at the latest when the process exits. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string
  remove(): Promise<void>
}

/** Makes an empty folder under the system's temporary folder. */
export const temporaryFolder = async (): Promise<TemporaryFolder> => {
  const path = await mkdtemp(join(tmpdir(), 'kiroku-test-'))
  const atExit = () => rmSync(path, { recursive: true, force: true })
  process.once('exit', atExit)
  const remove = async () => {
    await rm(path, { recursive: true, force: true, maxRetries: 3 })
    process.off('exit', atExit)
  }
  return { path, remove, [Symbol.asyncDispose]: remove }
}
