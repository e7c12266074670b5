import net from 'node:net'
import { FrameReader, headerBytes, type OnFrame } from './FrameReader.ts'
import { readBufferBytes } from './limits.ts'

/** One for all sockets of the thread: what was read is taken out before anything else is read. */
let readBuffer: Uint8Array | undefined

/** One end of a link: frames over a socket, read without a buffer per read and written without copies. */
export class FrameSocket {
  readonly reader: FrameReader
  #socket!: net.Socket
  #isCorked = false

  private constructor(contentBytesMax: number, onFrame: OnFrame) {
    this.reader = new FrameReader(contentBytesMax, onFrame)
  }

  /** Connects to a path; whether that works shows in `onClose`. */
  static connect(path: string, contentBytesMax: number, onFrame: OnFrame): FrameSocket {
    const frames = new FrameSocket(contentBytesMax, onFrame)
    frames.#socket = net.connect({ path, onread: frames.#onread() })
    return frames
  }

  /** Takes over a socket that a server has accepted and not read from. */
  static accept(socket: net.Socket, contentBytesMax: number, onFrame: OnFrame): FrameSocket {
    const frames = new FrameSocket(contentBytesMax, onFrame)
    frames.#socket = withOnread(socket, frames.#onread())
    return frames
  }

  /** Bytes that the other side has not taken yet. */
  get unsentBytes(): number {
    return this.#socket.writableLength
  }

  /** Reports the end of the connection, with the reason where it is an error. Called once. */
  onClose(listener: (error: Error | undefined) => void): void {
    let reason: Error | undefined
    this.#socket.on('error', (error) => (reason = error))
    this.#socket.once('close', () => listener(reason))
  }

  /**
   * Sends a frame, whose content is in pieces that must not change until it is written; what is sent in one turn travels
   * together. `written` gets the error of what did not leave. Returns the bytes of the content.
   */
  send(
    request: number,
    partition: number,
    content: readonly Uint8Array[],
    written?: (error?: Error | null) => void,
  ): number {
    let bytes = 0
    for (const piece of content) bytes += piece.length
    const header = Buffer.allocUnsafe(headerBytes)
    header.writeUInt32LE(bytes, 0)
    header.writeUInt32LE(request, 4)
    header.writeUInt32LE(partition, 8)
    if (!this.#isCorked) {
      this.#isCorked = true
      this.#socket.cork()
      process.nextTick(this.#uncork)
    }
    this.#socket.write(header)
    const last = content.length - 1
    for (let i = 0; i < last; i++) this.#socket.write(content[i]!)
    this.#socket.write(content[last]!, written)
    return bytes
  }

  /** Ends the connection once everything is sent. */
  end(): void {
    this.#socket.end()
  }

  /** Ends the connection now. */
  destroy(error?: Error): void {
    this.#socket.destroy(error)
  }

  readonly #uncork = (): void => {
    this.#isCorked = false
    this.#socket.uncork()
  }

  #onread(): net.OnReadOpts {
    readBuffer ??= new Uint8Array(readBufferBytes)
    return {
      buffer: readBuffer,
      callback: (bytes, buffer) => {
        const wrong = this.reader.take(buffer.subarray(0, bytes))
        if (wrong !== undefined) this.destroy(new Error(wrong))
        return true
      },
    }
  }
}

/**
 * The same connection as a socket that reads into a buffer of ours. Node.js has no such option for a server, and gives each
 * read memory of its own, which costs the engine full collections; so its handle, which is not documented, is moved. Where that
 * is gone the connection is read as usual.
 */
const withOnread = (accepted: net.Socket, onread: net.OnReadOpts): net.Socket => {
  const held = accepted as unknown as { _handle?: object | null }
  const handle = held._handle
  if (handle === undefined || handle === null) {
    accepted.on('data', (chunk: Buffer) => void onread.callback(chunk.length, chunk))
    return accepted
  }
  held._handle = null
  // The server counts it no more, and does not wait for it.
  accepted.destroy()
  const socket = new net.Socket({ handle, onread } as net.SocketConstructorOpts)
  socket.resume()
  return socket
}
