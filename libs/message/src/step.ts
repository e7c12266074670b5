import { compile } from './compile.ts'
import { messageMachine } from './machine.ts'

/** The law as one function: applies an event to a cell in place; false if it is not accepted. */
export const step = compile(messageMachine)
