import { KirokuError } from '@kiroku/message'
import type { Client, ClientOptions } from './Client.ts'
import type { Transport } from './Transport.ts'

/** Makes a client over a transport, which it owns from then on. */
export const createClient = (_transport: Transport, _options: ClientOptions = {}): Client => {
  throw new KirokuError('Internal', 'The client is not finished')
}
