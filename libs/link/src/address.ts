import path from 'node:path'

/** The name of a node's socket: chance makes it the name of one process, whatever else lies in the folder. */
const socketName = /^[0-9a-f]{16}\.sock$/

/** Whether a file is a node's socket, by its name. */
export const isSocketName = (name: string): boolean => socketName.test(name)

/** The node that an address is of; undefined: it is no address of a link. */
export const nodeOf = (address: string): string | undefined => {
  const name = path.basename(address)
  return path.isAbsolute(address) && isSocketName(name) ? name.slice(0, -'.sock'.length) : undefined
}
