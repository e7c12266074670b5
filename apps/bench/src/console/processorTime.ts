import { readdirSync, readFileSync } from 'node:fs'

/** A tick in which Linux counts the time of processes, in ms. */
const tickMs = 10
/** Indexes of user and system time among the fields after the program's name. */
const [userField, systemField] = [11, 12]

/** How much processor time a process took since it began, without its children, in ms. */
export const processorMs = (pid: number): number => processorMsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'))

/** The same, of the text that Linux has of a process. */
export const processorMsIn = (stat: string): number => {
  // The name may hold anything, blanks and brackets too.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[userField]) + Number(fields[systemField])) * tickMs
}

/** The processes that a process started, of those that run. */
export const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
