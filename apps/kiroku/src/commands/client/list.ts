import type { Invocation } from '../../cli/CommandSpec.ts'
import { managedAccess } from './managedAccess.ts'

export const run = ({ settings, out }: Invocation): Promise<void> => {
  const { access } = managedAccess(settings())
  const clients = access.others().map(({ name }) => name)
  for (const name of clients) out.line(name)
  if (clients.length === 0) out.line('none but the programs of this user')
  out.result({ clients })
  return Promise.resolve()
}
