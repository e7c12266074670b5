import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const commandLineOf = (pid: number): string => {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

/**
 * Whether process `pid` lives and was started with `argument` on its command line. A bare pid proves nothing: it may
 * by now belong to another program.
 */
export const runsWith = (pid: number, argument: string): boolean => commandLineOf(pid).includes(argument)
