/**
 * The law. Owns the message machine, its states and events, the compiled step, retry policies and the
 * error registry. Never touches IO, clocks or chance; talks to nobody but xstate.
 */
export {
  KirokuError,
  errorRegistry,
  isKirokuError,
  errorFromWire,
  type ErrorId,
  type WireError,
} from './errors.ts'
