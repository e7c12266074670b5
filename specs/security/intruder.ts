/** Another user of the machine: tries to enter, and says as JSON what came of each attempt. */
import { lstatSync, openSync, readdirSync } from 'node:fs'
import { connect as dial } from 'node:net'
import { connect } from '@kiroku/client-nats'
import { connect as connectNats } from '@kiroku/nats'

/** What is attempted: an address of NATS, and files, folders and sockets of the engine. */
export interface Attempts {
  readonly nats: string
  readonly paths: readonly string[]
}

/** What came of it: the error of each, or `in`. */
export interface Outcome {
  readonly uid: number
  readonly stream: string
  readonly command: string
  readonly paths: Readonly<Record<string, string>>
}

const outcome = async (attempt: () => unknown): Promise<string> => {
  try {
    await attempt()
    return 'in'
  } catch (error) {
    return (error as { id?: string }).id ?? (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

const open = async (path: string): Promise<void> => {
  const stat = lstatSync(path)
  if (stat.isSocket())
    await new Promise<void>((resolve, reject) => {
      dial(path).once('connect', resolve).once('error', reject)
    })
  else if (stat.isDirectory()) readdirSync(path)
  else openSync(path, 'r')
}

const { nats, paths } = JSON.parse(process.argv[2]!) as Attempts
const done: Outcome = {
  uid: process.getuid!(),
  stream: await outcome(() => connectNats({ servers: nats, findsKey: true })),
  command: await outcome(async () => (await connect({ servers: nats })).queues.list()),
  paths: Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await outcome(() => open(path))] as const)),
  ),
}
console.log(JSON.stringify(done))
process.exit(0)
