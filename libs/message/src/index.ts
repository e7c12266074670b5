/**
 * The law. Owns the message machine, its the compiled step and its pictures. Never touches IO,
 * clocks or chance; talks to `@kiroku/protocol` and xstate only.
 */
export { newCell, resetCell, type MessageCell } from './MessageCell.ts'
export type { Exhaustion, LateHandles, MachineEvent, MachineEventType, Policy } from './MachineEvent.ts'
export { messageMachine } from './machine.ts'
export { step } from './step.ts'
export { machineGraph, type GraphEdge, type GraphNode, type MachineGraph } from './graph.ts'
export { renderMachine, type MachineFormat } from './render.ts'
export { renderPopulation, type Population } from './renderPopulation.ts'
export { stateTokens, type StateToken } from './stateTokens.ts'
