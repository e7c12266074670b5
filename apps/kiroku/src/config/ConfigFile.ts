import { existsSync, readFileSync } from 'node:fs'
import { KirokuError } from '@kiroku/protocol'
import { readLocated, type Located } from '@kiroku/worker/located'

/** Name of the configuration file in the working folder. */
export const configFile = 'kiroku.jsonc'

/** A configuration file: settings of commands by their keys, and queues by their names. */
export interface ConfigFile extends Located {
  readonly root: Readonly<Record<string, unknown>>
}

/**
 * Reads a configuration file; without a name that of `folder`, and an empty one where there is none.
 * Errors: `MalformedJson` with line and column, `InvalidConfig` when a named one cannot be read.
 */
export const readConfigFile = (folder: string, name?: string): ConfigFile => {
  const path = name ?? `${folder}/${configFile}`
  const file = name ?? configFile
  if (name === undefined && !existsSync(path)) return { file, root: {}, at: () => undefined }
  const located = readLocated(file, textOf(path))
  const { root } = located
  if (typeof root !== 'object' || root === null || Array.isArray(root))
    throw new KirokuError('MalformedJson', `${file} must hold one object`)
  return located as ConfigFile
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new KirokuError('InvalidConfig', `${path} cannot be read: ${(cause as Error).message}`, { cause })
  }
}
