import { machineGraph, renderMachine, type MachineFormat } from '@kiroku/message'
import type { Invocation } from '../../cli/CommandSpec.ts'

export const run = ({ text, out }: Invocation): Promise<void> => {
  const format = (text('format') ?? 'ascii') as MachineFormat
  out.line(renderMachine(format))
  out.result(machineGraph())
  return Promise.resolve()
}
