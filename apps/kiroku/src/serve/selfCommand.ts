import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { shellWord } from '../cli/shellWord.ts'

/** Where this program is, and where it was called. */
export interface CalledFrom {
  /** A file of the program. */
  readonly file: string
  readonly cwd: string
  readonly exists: (file: string) => boolean
}

const here = (): CalledFrom => ({
  file: fileURLToPath(import.meta.url),
  cwd: process.cwd(),
  exists: existsSync,
})

/** How to call this program in this folder, so that a printed command works as is. */
export const selfCommand = ({ file, cwd, exists }: CalledFrom = here()): string => {
  if (file.endsWith('.ts')) {
    const root = path.resolve(path.dirname(file), '../../../..')
    return cwd === root
      ? 'npm run kiroku --'
      : `node ${shellWord(path.join(root, 'apps/kiroku/bin/kiroku.mjs'))}`
  }
  const parts = file.split(path.sep)
  if (parts.includes('_npx')) return 'npx @kiroku/cli'
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const modules = path.join(folder, 'node_modules')
    if (file.startsWith(modules + path.sep) || exists(path.join(modules, '.bin', 'kiroku')))
      return 'npx kiroku'
    if (folder === path.dirname(folder)) return 'kiroku'
  }
}
