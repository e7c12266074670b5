import { readFile, writeFile } from 'node:fs/promises'
import { KirokuError } from '@kiroku/protocol'

/** Reads a file that a command line names. Errors: `InvalidArgument`. */
export const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: unknown) => {
    throw new KirokuError('InvalidArgument', `cannot read ${file}`, { cause })
  })

/** Writes a file that a command line names. Errors: `InvalidArgument`. */
export const writeText = (file: string, text: string): Promise<void> =>
  writeFile(file, text).catch((cause: unknown) => {
    throw new KirokuError('InvalidArgument', `cannot write ${file}`, { cause })
  })
