import { inBatches, type Phase } from '../shapes/measureTurns.ts'

/** One phase of one shape, as it is named on the command line. */
export interface ProfiledShape {
  readonly bodyBytes: number
  readonly phase: Phase
}

/** What `profile` can be asked. */
export const shapesHelp =
  'publish:BYTES, consume:BYTES, send:BYTES (one after another) or live:BYTES:BATCHxHANDLERS, like consume:16384 or live:128:10x4'

/** The shape of this name; undefined: there is none. */
export const shapeNamed = (name: string): ProfiledShape | undefined => {
  const [phase, bytes, handling, ...more] = name.split(':')
  const bodyBytes = Number(bytes)
  if (!(Number.isInteger(bodyBytes) && bodyBytes > 0) || more.length > 0) return undefined
  if (phase === 'live') return live(name, bodyBytes, handling ?? '')
  if (handling !== undefined) return undefined
  switch (phase) {
    case 'publish':
      return shapeOf(bodyBytes, name, 'send', (system, messages) =>
        system.load.ask('publish', inBatches(system, messages, bodyBytes)),
      )
    case 'consume':
      return shapeOf(bodyBytes, name, 'handle', ({ load }, messages) => load.ask('consume', { messages }))
    case 'send':
      return shapeOf(bodyBytes, name, 'send', ({ load }, messages) =>
        load.ask('publish', { messages, bodyBytes, batch: 1, window: 1 }),
      )
    default:
      return undefined
  }
}

const live = (name: string, bodyBytes: number, text: string): ProfiledShape | undefined => {
  const [batch = 0, handlers = 0] = (/^(\d+)x(\d+)$/.exec(text) ?? []).slice(1).map(Number)
  if (batch < 1 || handlers < 1) return undefined
  return shapeOf(bodyBytes, name, 'live', (system, messages) =>
    system.load.ask('live', {
      ...inBatches(system, messages, bodyBytes, batch),
      handling: { batch, handlers },
    }),
  )
}

const shapeOf = (bodyBytes: number, name: string, kind: Phase['kind'], run: Phase['run']): ProfiledShape => ({
  bodyBytes,
  phase: { name, kind, run },
})
