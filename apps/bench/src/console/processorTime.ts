import { readdirSync, readFileSync } from 'node:fs'

/** A tick in which Linux counts the time of processes, in ms. */
const tickMs = 10
/** Indexes of user and system time among the fields after the program's name. */
const [userField, systemField] = [11, 12]
/** Indexes of the time of its children that have ended. */
const [endedUserField, endedSystemField] = [13, 14]

/** How much processor time a process took since it began, without its children, in ms. */
export const processorMs = (pid: number): number => processorMsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'))

/** The same, of the text that Linux has of a process. */
export const processorMsIn = (stat: string): number => {
  const fields = fieldsOf(stat)
  return (Number(fields[userField]) + Number(fields[systemField])) * tickMs
}

/** What follows the program's name, which may hold anything, blanks and brackets too. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ')

/** The processes that a process started, of those that run; none where it, or a thread of it, has ended meanwhile. */
export const childrenOf = (pid: number): number[] =>
  whileItRuns(() => readdirSync(`/proc/${pid}/task`)).flatMap((thread) =>
    whileItRuns(() =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    ),
  )

const whileItRuns = <T>(read: () => T[]): T[] => {
  try {
    return read()
  } catch {
    return []
  }
}

/** How much processor time a process and all that it started have taken, in ms; none where it has ended. */
export const processorMsOfAll = (pid: number): number => {
  try {
    const fields = fieldsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    const ended = (Number(fields[endedUserField]) + Number(fields[endedSystemField])) * tickMs
    return childrenOf(pid).reduce((sum, child) => sum + processorMsOfAll(child), processorMs(pid) + ended)
  } catch {
    // One that ended meanwhile is in the time of its parent.
    return 0
  }
}

/** Memory that a process holds. */
export const residentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
