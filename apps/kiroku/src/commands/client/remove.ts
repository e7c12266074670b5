import type { Invocation } from '../../cli/CommandSpec.ts'
import { managedAccess } from './managedAccess.ts'

export const run = ({ argument, settings, out }: Invocation): Promise<void> => {
  const name = argument('name')!
  const { access, reload } = managedAccess(settings())
  access.remove(name)
  reload()
  out.line(`client ${name} may enter no longer`)
  out.result({ name })
  return Promise.resolve()
}
