import { randomBytes } from 'node:crypto'
import { digestOf, parseTokens } from '@kiroku/doors'
import type { Invocation } from '../../cli/CommandSpec.ts'

const tokenBytes = 24

export const run = ({ argument, text, out }: Invocation): Promise<void> => {
  const token = randomBytes(tokenBytes).toString('base64url')
  const until = text('until')
  const line = `${argument('name')}:${argument('role')}:${digestOf(token)}${until === undefined ? '' : ` until=${until}`}`
  // What an engine would refuse is refused here.
  parseTokens(line)
  out.line(`token  ${token}`)
  out.line(`line   ${line}`)
  out.result({ token, line })
  return Promise.resolve()
}
