import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Identifies a process and its machine, so that another process of that machine can see that it is dead. */
export interface ProcessIdentity {
  readonly host: string
  readonly pid: number
  /** The boot and pid namespace in which `pid` means something; undefined where the system does not say. */
  readonly machine?: string
  /** The kernel's start time of the process, so that a reused pid is not taken for it. */
  readonly startTicks?: string
}

/** State and start time of a process, undefined if they cannot be read. */
const readStat = (pid: number): { readonly state: string; readonly startTicks: string } | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, startTicks] = [fields[0], fields[19]]
    return state === undefined || startTicks === undefined ? undefined : { state, startTicks }
  } catch {
    return undefined
  }
}

const readMachine = (): string | undefined => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return undefined
  }
}

/** The identity of this process. */
export const processIdentity = (): ProcessIdentity => {
  const machine = readMachine()
  const startTicks = readStat(process.pid)?.startTicks
  return {
    host: hostname(),
    pid: process.pid,
    ...(machine === undefined ? {} : { machine }),
    ...(startTicks === undefined ? {} : { startTicks }),
  }
}

/**
 * Whether `other` is certainly dead. False means only that this process cannot tell: the other is on another
 * machine or in another container, or the system does not say.
 *
 * @param machine the machine of the asking process
 */
export const isCertainlyDead = (other: ProcessIdentity, machine: string | undefined): boolean => {
  if (machine === undefined || other.machine !== machine) return false
  try {
    process.kill(other.pid, 0)
  } catch (error) {
    // EPERM would mean that it lives and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
  const stat = readStat(other.pid)
  if (stat === undefined) return false
  return stat.state === 'Z' || stat.state === 'X' || stat.startTicks !== (other.startTicks ?? stat.startTicks)
}
