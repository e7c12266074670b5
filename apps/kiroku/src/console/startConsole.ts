import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConsolePages } from '@kiroku/api'
import type { Logger } from '../serve/Logger.ts'
import { buildConsole } from './buildConsole.ts'

/** The console's pages, existing or to come. */
export interface RunningConsole {
  readonly folder: string
  /** The message in their place while there are none. */
  readonly missing: ConsolePages['missing']
  /** Whether it is being built. */
  readonly building: () => boolean
  /** Whether there are pages, once the build has ended. */
  readonly ready: Promise<boolean>
  /** Ends a running build. */
  readonly close: () => Promise<void>
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** Undefined in an installed package, which brings its console with it. */
const clone = import.meta.url.endsWith('.ts') ? here('../../../..') : undefined

/** Finds the console, and starts a build in a clone whose sources changed, without waiting for it. */
export const startConsole = (logger: Logger): RunningConsole => {
  const folder = clone === undefined ? here('./console') : path.join(clone, 'apps', 'console', 'dist')
  const isThere = (): boolean => existsSync(path.join(folder, 'index.html'))
  const closing = new AbortController()
  let isBuilding = false
  let missing = { why: 'Building the console. This page loads by itself when it is ready.', soon: true }
  const build = async (): Promise<boolean> => {
    try {
      if (clone !== undefined)
        await buildConsole({
          root: clone,
          folder,
          signal: closing.signal,
          onBuild: () => (isBuilding = true),
        })
    } catch (error) {
      if (!closing.signal.aborted) logger('warn', 'the console could not be built', { error })
    }
    isBuilding = false
    missing = {
      why: 'The console was not built. `npm ci && npm run build -w @kiroku/console` in the clone says why.',
      soon: false,
    }
    return isThere()
  }
  const ready = build()
  return {
    folder,
    missing: () => missing,
    building: () => isBuilding,
    ready,
    close: async () => {
      closing.abort()
      await ready
    },
  }
}
