import { isKirokuError, KirokuError, type WireError } from '@kiroku/protocol'

/** An error as it travels to who asked; a defect as `Internal`. */
export const wireOf = (error: unknown): WireError =>
  (isKirokuError(error)
    ? error
    : new KirokuError('Internal', error instanceof Error ? error.message : String(error))
  ).toWire()
