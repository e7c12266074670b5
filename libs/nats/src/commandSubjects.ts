/** Where the owner of a partition takes commands. */
export const commandSubject = (log: string, partition: number | string): string =>
  `kiroku.cmd.${log}.${partition}`

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
