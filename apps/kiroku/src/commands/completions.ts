import { KirokuError } from '@kiroku/protocol'
import { completionScript, shells } from '../cli/Cli.ts'
import type { Invocation } from '../cli/CommandSpec.ts'
import { tree } from '../cli/tree.ts'

export const run = ({ argument, out }: Invocation): Promise<void> => {
  const shell = shells.find((name) => name === argument('shell'))
  if (shell === undefined)
    throw new KirokuError('InvalidArgument', `"${argument('shell')}" is not one of ${shells.join(', ')}`)
  const script = completionScript(tree, shell)
  out.line(script)
  out.result({ shell, script })
  return Promise.resolve()
}
