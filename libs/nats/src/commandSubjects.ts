/**
 * Where the owner of a partition takes commands.
 * @param as the client that sends them, where NATS knows it by name; absent: a node, or somebody with its rights
 */
export const commandSubject = (log: string, partition: number | string, as?: string): string =>
  named(`kiroku.cmd.${log}.${partition}`, as)

/** Where nodes say what a log is made of, to clients that may not read that in NATS. */
export const directorySubject = (log: string, as: string): string => named(`kiroku.directory.${log}`, as)

const named = (subject: string, as: string | undefined): string =>
  as === undefined ? subject : `${subject}.${as}`

/** Where a new owner of a partition announces its epoch. */
export const ownerSubject = (log: string, partition: number | string): string =>
  `kiroku.owner.${log}.${partition}`

/** Header of a reply in several messages: part i/n. */
export const partHeader = 'Kiroku-Part'

/** Bytes of the server's `max_payload` that a message leaves free for headers. */
export const payloadMarginBytes = 64 * 1024

/**
 * Header of a request that asks how to reach the owner without NATS, and, with the address, of the reply and of a new
 * owner's announcement.
 */
export const linkHeader = 'Kiroku-Link'
