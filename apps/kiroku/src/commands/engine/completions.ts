import { KirokuError } from '@kiroku/protocol'
import { completionScript, shells } from '../../cli/Cli.ts'
import type { Invocation } from '../../cli/CommandSpec.ts'

export const run = ({ root, argument, out }: Invocation): Promise<void> => {
  const shell = shells.find((name) => name === argument('shell'))
  if (shell === undefined)
    throw new KirokuError('InvalidArgument', `"${argument('shell')}" is not one of ${shells.join(', ')}`)
  const script = completionScript(root, shell)
  out.line(script)
  out.result({ shell, script })
  return Promise.resolve()
}
