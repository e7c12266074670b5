import { readFileSync } from 'node:fs'
import * as http from 'node:http'
import * as https from 'node:https'
import { json } from 'node:stream/consumers'

/** How an engine of this machine is asked. */
export interface Asking {
  readonly signal: AbortSignal
  /** File with the certificate that the engine must have, under whatever name; absent: any. */
  readonly certFile?: string
}

/** The JSON that an address answers with, errors included. Presents no token. Errors: there is none. */
export const getJson = async (url: string, { signal, certFile }: Asking): Promise<unknown> => {
  const trusts =
    certFile === undefined
      ? { rejectUnauthorized: false }
      : {
          ca: readFileSync(certFile),
          // It may be signed by others, and is asked under the name of this machine.
          allowPartialTrustChain: true,
          checkServerIdentity: () => undefined,
        }
  return new Promise((resolve, reject) => {
    const get = url.startsWith('https:') ? https.get : http.get
    get(url, { signal, agent: false, ...trusts }, (response) => json(response).then(resolve, reject)).once(
      'error',
      reject,
    )
  })
}
