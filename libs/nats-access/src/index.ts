/**
 * Who may enter NATS: the rights of nodes and of clients, their keys, and how a program finds its own. Never connects to
 * NATS, and knows nothing of commands; talks to the file system alone.
 */
export { Access, type AccessUser } from './Access.ts'
export { NatsKey } from './NatsKey.ts'
export { clientRights, inboxOf, nodeRights, type Rights } from './rights.ts'
export { accessAt, announceAccess } from './announced.ts'
export { permissionsOf } from './usersBlock.ts'
