/** The subjects that a user of NATS may publish and subscribe to. */
export interface Rights {
  readonly publish: readonly string[]
  readonly subscribe: readonly string[]
}

/** What a node needs, and a command that reads or mends the log: all that Kiroku has in NATS. */
export const nodeRights: Rights = {
  publish: ['kiroku.>', '_INBOX.>', '$JS.API.>', '$JS.ACK.>', '$JS.FC.>', '$KV.>', '$O.>'],
  subscribe: ['kiroku.>', '_INBOX.>'],
}

/**
 * What a client needs. Its name is part of every subject that it writes to and reads its answers from, so that it
 * cannot speak for another client, nor hear what is said to one. Nothing of JetStream is among them: an answer of
 * JetStream can be sent on to any subject, also to that of a log ([ADR 44](../../../specs/adr/0044-nats-is-closed.md)).
 */
export const clientRights = (name: string): Rights => ({
  publish: [`kiroku.cmd.*.*.${name}`, `kiroku.directory.*.${name}`],
  subscribe: [`${inboxOf(name)}.>`, 'kiroku.owner.*.*'],
})

/** Where answers to a client arrive, and to a node where no name is given. */
export const inboxOf = (name: string | undefined): string =>
  name === undefined ? '_INBOX' : `_INBOX.${name}`
