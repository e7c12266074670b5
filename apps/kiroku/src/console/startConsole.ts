import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from '../serve/Logger.ts'
import { buildConsole } from './buildConsole.ts'

/** The console's pages, as they are or will be. */
export interface RunningConsole {
  readonly folder: string
  /** What is said in their place while there are none. */
  readonly missing: () => string
  /** Whether pages are there, once nothing is built any more. */
  readonly ready: Promise<boolean>
  /** Ends a build that runs. */
  readonly close: () => Promise<void>
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** Undefined in an installed package, which brings its console with it. */
const clone = import.meta.url.endsWith('.ts') ? here('../../../..') : undefined

/** Finds the console, and has it built in a clone whose sources changed; nobody has to wait for it. */
export const startConsole = (note: (line: string) => void, logger: Logger): RunningConsole => {
  const folder = clone === undefined ? here('./console') : path.join(clone, 'apps', 'console', 'dist')
  const isThere = (): boolean => existsSync(path.join(folder, 'index.html'))
  const closing = new AbortController()
  let missing = 'The console is being built; load this page again in a moment.'
  const build = async (): Promise<boolean> => {
    try {
      if (clone !== undefined)
        await buildConsole({
          root: clone,
          folder,
          signal: closing.signal,
          onBuild: () => note('console: building…'),
        })
    } catch (error) {
      if (!closing.signal.aborted) logger('warn', 'the console could not be built', { error })
    }
    missing = 'The console was not built. `npm ci && npm run build -w @kiroku/console` in the clone says why.'
    return isThere()
  }
  const ready = build()
  return {
    folder,
    missing: () => missing,
    ready,
    close: async () => {
      closing.abort()
      await ready
    },
  }
}
