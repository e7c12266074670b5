import type { ManagedServer } from '@kiroku/nats-server'
import { shellWord } from '../../cli/shellWord.ts'
import type { Settings } from '../../config/settings.ts'
import type { KeptAddress } from '../../serve/keepAddress.ts'
import { usualSqs } from '../../serve/sqsDoorsOf.ts'
import type { RunningEngine } from '../../serve/startEngine.ts'
import { natsPortUsual } from '../../serve/startNats.ts'

/** An engine that `kiroku up` started, with what it runs on. */
interface Started {
  readonly engine: RunningEngine
  readonly server: ManagedServer
  readonly settings: Settings
  readonly dataDir: string
  readonly kept: KeptAddress
  readonly seconds: string
  readonly isSample: boolean
  /** How to call a command in this folder. */
  readonly call: (command: string) => string
}

/** What `kiroku up` says once it serves: where everything is, and what to do next. */
export const upBanner = (started: Started): string[] => {
  const { engine, server, settings, dataDir, kept, seconds, isSample, call } = started
  const { apiUrl, sqs, console, partitions } = engine
  const building =
    console?.building() === true ? '  (being built; the page loads by itself when it is ready)' : ''
  const taken = kept.taken.map(
    ({ address, by }) => `             (port ${address.port} is taken by ${by}; --http HOST:PORT chooses)`,
  )
  const natsMoved =
    settings.natsPort === undefined && server.port !== natsPortUsual
      ? [
          `             (this folder's port: ${natsPortUsual} was taken, or it had this one before; --nats-port N chooses)`,
        ]
      : []
  return [
    `Kiroku is up (${seconds} s): log ${settings.log}, ${partitions} partitions`,
    ...(console === undefined ? [] : [`  console    ${console.url}${building}`]),
    `  HTTP API   ${apiUrl}  (docs: ${apiUrl}/docs, metrics: ${apiUrl}/metrics)`,
    ...taken,
    ...(sqs === undefined ? [] : sqsLines(sqs, settings.sqs)),
    `  NATS       ${server.url}  (nats-server ${server.version}, sync_interval ${server.syncInterval})`,
    ...natsMoved,
    ...(server.isClosed
      ? [
          `             (yours alone: your programs find the key, ${call('client add NAME')} lets others in)`,
          `             nats --context ${shellWord(server.access.contextFile)}`,
        ]
      : [
          '             (open to every user of this machine until all engines of this folder are stopped: an earlier version started it)',
        ]),
    `  data       ${dataDir}`,
    '',
    isSample
      ? `A sample shop is at work. Look at the console, or in another terminal of this folder:  ${call('status')}`
      : `Next, in another terminal of this folder:  ${call('queue create mail')}`,
    'Ctrl-C drains and stops.',
  ]
}

const sqsLines = ({ url, hasKeys }: NonNullable<RunningEngine['sqs']>, set = 'auto'): string[] => [
  `  SQS        ${url}  (${hasKeys ? 'for callers who sign with a key' : 'for every program of this machine; --sqs-keys-file FILE asks for keys'})`,
  ...(set === 'auto' && !url.endsWith(`:${usualSqs.port}`)
    ? [`             (port ${usualSqs.port} was taken; --sqs HOST:PORT chooses)`]
    : []),
]
