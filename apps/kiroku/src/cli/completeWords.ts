import { isReplyQueue } from '@kiroku/protocol'
import { getJson } from '../serve/getJson.ts'
import { readRunFile } from '../serve/RunFile.ts'
import { namedBy } from './namedBy.ts'
import { tree } from './tree.ts'

/** A shell waits for the answer on each key press. */
const patienceMs = 400

const messagesMax = 200

interface Answer {
  readonly names?: readonly string[]
  readonly messages?: readonly { readonly messageId: string }[]
}

/** Where to ask for the names, or ids, that begin like this. */
const paths = {
  queue: (begun: string) => `/v1/queue-names?prefix=${encodeURIComponent(begun)}`,
  message: () => `/v1/search?limit=${messagesMax}`,
}

/**
 * Completions of the last word of a command line, one per line: names of queues and ids of the latest
 * messages, from the engine of the folder. Empty if none runs, or if it does not answer soon.
 */
export const completeWords = async (words: readonly string[]): Promise<string> => {
  const { kinds, begun, dataDir } = namedBy(tree, words)
  if (kinds.length === 0) return ''
  const run = readRunFile(dataDir ?? process.env['KIROKU_DATA_DIR'] ?? '.kiroku')
  if (run === undefined) return ''
  const asking = {
    signal: AbortSignal.timeout(patienceMs),
    ...(run.apiCert === undefined ? {} : { certFile: run.apiCert }),
  }
  const names = await Promise.all(
    kinds.map(async (kind) => {
      const { names = [], messages = [] } = (await getJson(run.apiUrl + paths[kind](begun), asking).catch(
        () => ({}),
      )) as Answer
      return [...names, ...messages.map(({ messageId }) => messageId)]
    }),
  )
  return names
    .flat()
    .filter((name) => name.startsWith(begun) && !isReplyQueue(name))
    .map((name) => `${name}\n`)
    .join('')
}
