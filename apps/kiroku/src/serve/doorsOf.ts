import { readFileSync } from 'node:fs'
import { httpDoor, type ApiDependencies, type ConsolePages } from '@kiroku/api'
import { checkBind, type Door, type Tokens } from '@kiroku/doors'
import { parseKeys, sqsDoor, type Key } from '@kiroku/gateway-sqs'
import { KirokuError } from '@kiroku/protocol'
import type { Settings } from '../config/settings.ts'
import { consoleMode } from '../console/consoleMode.ts'
import { parseHttpAddress } from './HttpAddress.ts'
import { httpLimitsOf } from './httpLimitsOf.ts'
import type { KeptAddress } from './keepAddress.ts'
import type { Logger } from './Logger.ts'
import { openFilesMax } from './openFilesMax.ts'

/** What the HTTP API is served with. */
export interface HttpParts {
  readonly settings: Settings
  readonly kept: Pick<KeptAddress, 'address' | 'certificate'>
  readonly dependencies: Omit<ApiDependencies, 'client'>
  /** The console's pages; absent: none. */
  readonly pages: Omit<ConsolePages, 'isReadOnly'> | undefined
  readonly logger: Logger
}

/** The HTTP API by the settings; undefined: there is none. */
export const httpDoorOf = ({ settings, kept, dependencies, pages, logger }: HttpParts): Door | undefined => {
  const { address, certificate } = kept
  if (address === undefined) return undefined
  const files = openFilesMax()
  const limits = httpLimitsOf(settings, files)
  if (limits.connectionsMax < settings.httpConnections)
    logger('warn', 'fewer connections to the API than set', {
      set: settings.httpConnections,
      taken: limits.connectionsMax,
      why: `this process may have ${files} files open: raise that, with LimitNOFILE or ulimit -n`,
    })
  const isReadOnly = consoleMode(settings, address.host) !== 'on'
  return httpDoor(dependencies, {
    ...address,
    ...(pages === undefined ? {} : { console: { ...pages, isReadOnly } }),
    bodyBytesMax: settings.httpBody,
    limits,
    ...(certificate === undefined ? {} : { certificate }),
    onReveal: ({ by, ...what }) =>
      logger('info', 'hidden body revealed', { ...what, by: by.name, from: by.origin }),
  })
}

/**
 * The door for clients of Amazon SQS by the settings, checked before an engine takes partitions; undefined: there is none.
 * Errors: `InvalidConfig`, `TokenRequired`.
 */
export const sqsDoorOf = (settings: Settings, tokens: Tokens): Door | undefined => {
  const { sqs, sqsAccount: account } = settings
  if (sqs === undefined) return undefined
  if (!/^\d{12}$/.test(account))
    throw new KirokuError('InvalidConfig', `--sqs-account: "${account}" is not 12 digits`)
  const address = parseHttpAddress(sqs, '--sqs')
  const keys = readKeys(settings.sqsKeysFile)
  if (keys === undefined && tokens.areRequired)
    throw new KirokuError(
      'InvalidConfig',
      'the HTTP API has tokens, and without keys the door for SQS would be open to every program: name a file with --sqs-keys-file',
    )
  if (keys === undefined) checkBind(address.host, tokens)
  return sqsDoor({ ...address, account, keys, limits: httpLimitsOf(settings, openFilesMax()) })
}

const readKeys = (file: string | undefined): Key[] | undefined => {
  if (file === undefined) return undefined
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new KirokuError(
      'InvalidConfig',
      `--sqs-keys-file: ${file} cannot be read: ${(cause as Error).message}`,
      { cause },
    )
  }
  return parseKeys(text)
}
