import { clientRights, nodeRights, type Rights } from './rights.ts'

/** A client that may enter: its name, and its public key. */
export interface PublicUser {
  readonly name: string
  readonly publicKey: string
}

/** The users of a nats-server in its configuration language: those with a node's key, and clients. */
export const usersBlock = (nodePublicKey: string, clients: readonly PublicUser[]): string =>
  [
    'authorization {',
    // The usual two seconds are too few on a machine that is busy.
    '  timeout: 10',
    '  users: [',
    userLine(nodePublicKey, nodeRights),
    ...clients.map(({ name, publicKey }) => userLine(publicKey, clientRights(name))),
    '  ]',
    '}',
    '',
  ].join('\n')

const userLine = (publicKey: string, rights: Rights): string =>
  `    { nkey: ${publicKey}, permissions: ${permissionsOf(rights)} }`

/** Rights in the configuration language of nats-server. */
export const permissionsOf = ({ publish, subscribe }: Rights): string =>
  `{ publish: ${listed(publish)}, subscribe: ${listed(subscribe)} }`

const listed = (subjects: readonly string[]): string => `[${subjects.map((each) => `"${each}"`).join(', ')}]`
