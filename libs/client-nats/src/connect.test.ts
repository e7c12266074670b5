import { expect, it } from 'vitest'
import { connect, type ConnectOptions } from './connect.ts'

it.each<[options: unknown, message: string]>([
  [{ server: 'nats://127.0.0.1:4222' }, 'connect has no option "server". Did you mean "servers"?'],
  [{ servers: 4222 }, 'servers must be a URL, such as nats://127.0.0.1:4222, or several, not 4222'],
  [{ link: 'no' }, 'link must be "on" or "off", not "no"'],
  [{ actor: 'ann' }, 'actor must be an object with a name and an origin, not "ann"'],
  ['nats://127.0.0.1:4222', 'connect takes its options as an object, not "nats://127.0.0.1:4222"'],
])(
  'a mistake of a JavaScript caller is refused before anything is connected: %j',
  async (options, message) => {
    await expect(connect(options as ConnectOptions)).rejects.toThrow(message)
  },
)
