import { writeFileSync } from 'node:fs'
import { KirokuError } from '@kiroku/protocol'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { managedAccess } from './managedAccess.ts'

export const run = ({ argument, text, settings, out }: Invocation): Promise<void> => {
  const name = argument('name')!
  const { access, url, reload } = managedAccess(settings())
  const file = text('out') ?? `${name}.nk`
  const seed = access.add(name)
  try {
    writeFileSync(file, `${seed}\n`, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    access.remove(name)
    throw new KirokuError('InvalidArgument', `cannot write ${file}: ${(cause as Error).message}`, { cause })
  }
  reload()
  out.line(`client ${name} may enter with the key in ${file}, of which there is no copy`)
  const where = url === undefined ? '' : `servers: '${url}', `
  out.line(`  connect({ ${where}nkey: '${file}', as: '${name}' })`)
  out.result({ name, file, nats: url })
  return Promise.resolve()
}
