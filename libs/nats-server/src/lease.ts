import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { readState, usualSocketOf, type KeeperMessage } from './ManagedState.ts'

/** A connection to the keeper of a folder. While it is open the keeper keeps the server. */
export interface Lease {
  /** The keeper's first word: the server runs, or why it does not. Undefined when the keeper ended before. */
  readonly first: Promise<KeeperMessage | undefined>
  /** Gives the server back; resolves when the connection is closed. */
  release(): Promise<void>
}

const open = (path: string): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(undefined))
  })

/**
 * Connects to the keeper of `folder`; undefined when none listens.
 *
 * @param onMessage hears everything the keeper says
 * @param onClosed called when the keeper is gone, also after `release`
 */
export const takeLease = async (
  folder: string,
  onMessage: (message: KeeperMessage) => void,
  onClosed: () => void,
): Promise<Lease | undefined> => {
  const socket = await open(readState(folder)?.socket ?? usualSocketOf(folder))
  if (socket === undefined) return undefined
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      resolve()
      onClosed()
    })
  })
  const first = new Promise<KeeperMessage | undefined>((resolve) => {
    const lines = createInterface({ input: socket })
    // It repeats the socket's errors; the socket's end is heard below.
    lines.on('error', () => {})
    lines.on('line', (line) => {
      const message = JSON.parse(line) as KeeperMessage
      onMessage(message)
      resolve(message)
    })
    void closed.then(() => resolve(undefined))
  })
  // The lease ends with the process; it is no reason for the process to stay.
  void first.then(() => socket.unref())
  return {
    first,
    release: async () => {
      socket.ref()
      socket.end()
      await closed
    },
  }
}
