import { createHash } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'

/** Sources of the console, from the root of the clone. */
const sources = [
  'apps/console/*.{html,json,ts}',
  'apps/console/{public,src}/**/*',
  'libs/{message,partition,log,audit}/{package.json,src/**/*.ts}',
  'package-lock.json',
]

/** Hash of everything that the console is built from; tests are not part of it. */
export const sourceHash = async (root: string): Promise<string> => {
  const files: string[] = []
  for await (const file of glob(sources, { cwd: root, withFileTypes: true }))
    if (file.isFile() && !file.name.includes('.test.')) files.push(path.join(file.parentPath, file.name))
  const hash = createHash('sha256')
  for (const file of files.sort())
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(await readFile(file))
      .update('\0')
  return hash.digest('hex')
}
