/** One server-sent event. */
export interface ServerEvent {
  readonly event: string
  readonly id: string
  readonly data: string
}

/**
 * Parses server-sent events from text that arrives in pieces. `EventSource` cannot send a token, and
 * reconnects by itself while it should be paused.
 */
export class ServerEvents {
  #rest = ''

  /** Returns the events that are complete with this piece. */
  push(text: string): ServerEvent[] {
    const blocks = (this.#rest + text).split('\n\n')
    this.#rest = blocks.pop()!
    return blocks.map(parse).filter(({ data }) => data !== '')
  }
}

const parse = (block: string): ServerEvent => {
  const fields = { event: 'message', id: '', data: '' }
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    const name = line.slice(0, colon)
    const value = line.slice(colon + 1).replace(/^ /, '')
    if (name === 'data') fields.data += fields.data === '' ? value : `\n${value}`
    else if (name === 'event' || name === 'id') fields[name] = value
  }
  return fields
}
