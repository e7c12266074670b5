import { readFileSync } from 'node:fs'
import { withoutUser, type NatsOptions } from '@kiroku/nats'
import { Access } from '@kiroku/nats-access'
import { KirokuError } from '@kiroku/protocol'
import type { Settings } from '../config/settings.ts'
import { isRunning, readRunFile } from './RunFile.ts'

/**
 * Which NATS a command talks to: the given one, else that of the engine in this folder.
 * Errors: `NatsUnreachable` when there is neither, `InvalidArgument` for files that cannot be read.
 */
export const natsTarget = (settings: Settings): NatsOptions =>
  settings.nats === undefined ? natsOfFolder(settings.dataDir) : givenNats(settings)

/**
 * The NATS that the settings name; one that Kiroku runs for this user needs no credentials.
 * Errors: `NatsUnreachable` when they name none.
 */
export const givenNats = (settings: Settings): NatsOptions => {
  if (settings.nats === undefined)
    throw new KirokuError('NatsUnreachable', 'no NATS was named (--nats, KIROKU_NATS)')
  const { natsUser: user, natsPassword: pass, natsToken: token, natsCreds: creds } = settings
  const { natsNkey: nkey, natsAs: as } = settings
  const tls = tlsOf(settings)
  return {
    servers: settings.nats.split(',').map((server) => withoutUser(server.trim())),
    name: 'kiroku',
    findsKey: true,
    ...(user === undefined ? {} : { user }),
    ...(pass === undefined ? {} : { pass }),
    ...(token === undefined ? {} : { token }),
    ...(creds === undefined ? {} : { creds }),
    ...(nkey === undefined ? {} : { nkey }),
    ...(as === undefined ? {} : { as }),
    ...(tls === undefined ? {} : { tls }),
  }
}

const natsOfFolder = (dataDir: string): NatsOptions => {
  const run = readRunFile(dataDir)
  if (run === undefined)
    throw new KirokuError(
      'NatsUnreachable',
      `no engine was started in this folder (${dataDir}/run.json), and no --nats was given`,
    )
  if (!isRunning(run))
    throw new KirokuError('NatsUnreachable', `the engine of this folder (process ${run.pid}) is gone`)
  return {
    servers: run.natsUrl,
    name: 'kiroku',
    ...(run.serverFolder === undefined ? {} : new Access(run.serverFolder).node),
  }
}

const tlsOf = ({ natsTlsCa, natsTlsCert, natsTlsKey }: Settings): NatsOptions['tls'] =>
  natsTlsCa === undefined && natsTlsCert === undefined && natsTlsKey === undefined
    ? undefined
    : {
        ...(natsTlsCa === undefined ? {} : { ca: pem(natsTlsCa) }),
        ...(natsTlsCert === undefined ? {} : { cert: pem(natsTlsCert) }),
        ...(natsTlsKey === undefined ? {} : { key: pem(natsTlsKey) }),
      }

const pem = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new KirokuError('InvalidArgument', `cannot read ${path}`, { cause })
  }
}
