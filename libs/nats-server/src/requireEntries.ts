import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'
import { KirokuError } from '@kiroku/protocol'

/** What Kiroku keeps in a folder, by name; none of it has to be there. */
interface OwnEntries {
  readonly files?: readonly string[]
  readonly folders?: readonly string[]
}

/**
 * Refuses to start over what nobody but Kiroku should have put there, and it did not.
 * @throws KirokuError `InvalidConfig`: a folder lies in the place of a file, or a file in that of a folder, or this user may
 *   not read and write it
 */
export const requireEntries = (folder: string, { files = [], folders = [] }: OwnEntries): void => {
  for (const name of [...folders, ...files]) {
    const path = join(folder, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) continue
    const [is, wanted] = folders.includes(name) ? ['file', 'folder'] : ['folder', 'file']
    if (found.isDirectory() !== (wanted === 'folder'))
      throw new KirokuError(
        'InvalidConfig',
        `${path} is a ${is}, where Kiroku keeps a ${wanted}: move it away`,
      )
    try {
      accessSync(path, constants.R_OK | constants.W_OK)
    } catch (cause) {
      throw new KirokuError('InvalidConfig', `${path} cannot be read and written by this user`, { cause })
    }
  }
}
