import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { KirokuError } from '@kiroku/protocol'
import { Access, accessAt } from '@kiroku/nats-access'
import type { NatsOptions } from '@kiroku/nats'

/** Where the engine of this folder says where it is. */
const runFile = join('.kiroku', 'run.json')

/**
 * The NATS to connect to: the one that is named, else that of the engine in this folder. If Kiroku runs it for this user, and
 * no credentials are given, with the key that lies there.
 * Errors: `NatsUnreachable` (none is named, and no engine was started in this folder).
 */
export const findEngine = <O extends Partial<NatsOptions>>(options: O): O & NatsOptions => {
  const { natsUrl, access } = options.servers === undefined ? engineHere() : known(options.servers)
  const isGiven = credentials.some((each) => options[each] !== undefined)
  return { ...options, servers: natsUrl, ...(isGiven ? {} : access?.client) }
}

interface Found {
  readonly natsUrl: string | readonly string[]
  /** Absent: the options say how to enter. */
  readonly access?: Access | undefined
}

const known = (servers: string | readonly string[]): Found => ({
  natsUrl: servers,
  access: accessAt(typeof servers === 'string' ? [servers] : servers),
})

/** What lets a program in. */
const credentials = ['token', 'user', 'pass', 'creds', 'nkey'] as const

const engineHere = (): Found => {
  try {
    const { natsUrl, serverFolder } = JSON.parse(readFileSync(runFile, 'utf8')) as {
      readonly natsUrl: string
      readonly serverFolder?: string
    }
    return { natsUrl, access: serverFolder === undefined ? undefined : new Access(serverFolder) }
  } catch (cause) {
    throw new KirokuError(
      'NatsUnreachable',
      `no engine was started in this folder (${runFile}), and \`connect\` was given no \`servers\``,
      { cause },
    )
  }
}
