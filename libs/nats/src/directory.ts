import { KirokuError } from '@kiroku/protocol'
import { type NatsConnection, NoRespondersError } from '@nats-io/nats-core'
import { directorySubject } from './commandSubjects.ts'
import { toKirokuError } from './jetStreamErrors.ts'
import { requestTimeoutMs } from './limits.ts'
import { answerQuestions } from './questions.ts'

/** What clients have to know of a log. */
export interface DirectoryEntry {
  readonly incarnation: string
  readonly partitions: number
}

/** Tells clients that may not read it in NATS what a log is made of. Returns the function that stops it. */
export const answerDirectory = (nc: NatsConnection, log: string, entry: DirectoryEntry): (() => void) => {
  const bytes = new TextEncoder().encode(JSON.stringify(entry))
  return answerQuestions(nc, directorySubject(log, '*'), () => Promise.resolve(bytes))
}

/**
 * Asks the nodes of a log what it is made of.
 * @param as the client that asks, as in `NatsOptions`
 * @throws KirokuError `Unavailable` (no node of that log runs), `NatsForbidden`, `NatsUnreachable`
 */
export const askDirectory = async (nc: NatsConnection, log: string, as: string): Promise<DirectoryEntry> => {
  try {
    const answer = await nc.request(directorySubject(log, as), undefined, { timeout: requestTimeoutMs })
    return answer.json<DirectoryEntry>()
  } catch (cause) {
    if (isUnanswered(cause))
      throw new KirokuError('Unavailable', `No engine serves a log "${log}" on this NATS`, { cause })
    throw toKirokuError(cause, `Cannot read the directory of the log "${log}"`)
  }
}

const isUnanswered = (cause: unknown): boolean =>
  cause instanceof Error && (cause instanceof NoRespondersError || isUnanswered(cause.cause))
