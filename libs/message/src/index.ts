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
export { State, stateNames, isFinal, type StateName } from './State.ts'
export { newCell, type MessageCell, type DiscardReason } from './MessageCell.ts'
export type { Exhaustion, LateHandles, MachineEvent, MachineEventType, Policy } from './MachineEvent.ts'
export type {
  Actor,
  AppliedSection,
  ConsumeMode,
  LogEvent,
  LogEventOf,
  LogEventType,
  PartTotals,
  QueueAddress,
  Ranges,
} from './LogEvent.ts'
export { messageMachine } from './machine.ts'
export { step } from './step.ts'
export { retryDelayMs, type RetryPolicy } from './retry.ts'
export { machineGraph, type GraphEdge, type GraphNode, type MachineGraph } from './graph.ts'
export { renderMachine, type MachineFormat } from './render.ts'
export { renderPopulation, type Population } from './renderPopulation.ts'
export { stateTokens, type StateToken } from './stateTokens.ts'
