import { readFileSync } from 'node:fs'
import { checkBind, type Door, type Tokens } from '@kiroku/doors'
import { Keys, parseKeys, sqsDoor, type Key } from '@kiroku/gateway-sqs'
import { KirokuError } from '@kiroku/protocol'
import type { Settings } from '../config/settings.ts'
import { followFiles } from './followFiles.ts'
import { parseHttpAddress, type HttpAddress } from './HttpAddress.ts'
import { httpLimitsOf } from './httpLimitsOf.ts'
import type { Logger } from './Logger.ts'
import { openFilesMax } from './openFilesMax.ts'

/** The door for clients of Amazon SQS. */
export interface SqsDoors {
  /** At each address that will do, the preferred one first. */
  readonly doors: readonly Door[]
  /** Whether callers sign. */
  readonly hasKeys: boolean
  /** Takes the keys again whenever their file changed. Returns the function that stops it. */
  readonly follow: (logger: Logger) => () => void
}

/** Where clients of local stand-ins for SQS look. */
export const usualSqs: HttpAddress = { host: '127.0.0.1', port: 9324 }

/** How long AWS has its callers wait. */
const pausesMs = 60_000

/**
 * The door for clients of Amazon SQS by the settings, checked before an engine takes partitions; undefined: there is none.
 * Errors: `InvalidConfig`, `TokenRequired`.
 */
export const sqsDoorsOf = (settings: Settings, tokens: Tokens): SqsDoors | undefined => {
  const { sqs = 'off', sqsAccount: account, sqsKeysFile, sqsPauses, sqsUrl } = settings
  if (sqs === 'off') return undefined
  if (!/^\d{12}$/.test(account))
    throw new KirokuError('InvalidConfig', `--sqs-account: "${account}" is not 12 digits`)
  const url = sqsUrl === undefined ? undefined : parseUrl(sqsUrl)
  const addresses = sqs === 'auto' ? [usualSqs, { ...usualSqs, port: 0 }] : [parseHttpAddress(sqs, '--sqs')]
  const keys = sqsKeysFile === undefined ? undefined : new Keys(readKeys(sqsKeysFile))
  if (keys === undefined) {
    // Nobody asked for a door that cannot be.
    if (sqs === 'auto' && tokens.areRequired) return undefined
    if (tokens.areRequired)
      throw new KirokuError(
        'InvalidConfig',
        'the HTTP API has tokens, and without keys the door for SQS would be open to every program: name a file with --sqs-keys-file',
      )
    for (const { host } of addresses) checkBind(host, tokens)
  }
  const pauseMs = sqsPauses === 'on' ? pausesMs : undefined
  const limits = httpLimitsOf(settings, openFilesMax())
  return {
    doors: addresses.map((address) => sqsDoor({ ...address, account, url, pauseMs, keys, limits })),
    hasKeys: keys !== undefined,
    follow: (logger) => (keys === undefined ? () => {} : followKeys(keys, sqsKeysFile!, logger)),
  }
}

/** Without the slash at its end. Errors: `InvalidConfig`. */
const parseUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new KirokuError('InvalidConfig', `--sqs-url: "${text}" is not like https://queues.example.org`)
  return url.href.replace(/\/$/, '')
}

/** A file that is wrong changes nothing. */
const followKeys = (keys: Keys, file: string, logger: Logger): (() => void) =>
  followFiles([file], async () => {
    try {
      const read = readKeys(file)
      keys.replace(read)
      logger('info', 'keys of clients of SQS read again', { keys: read.length })
    } catch (error) {
      logger('error', 'keys of clients of SQS not read again; the earlier ones hold', { error })
    }
  })

const readKeys = (file: string): Key[] => {
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
