/** Where the owner of a partition takes commands. */
export const commandSubject = (log: string, partition: number | string): string =>
  `kiroku.cmd.${log}.${partition}`

/** Where a new owner of a partition announces its epoch. */
export const ownerSubject = (log: string, partition: number | string): string =>
  `kiroku.owner.${log}.${partition}`

/** Header of a reply in several messages: part i/n. */
export const partHeader = 'Kiroku-Part'

/** What a message of ours leaves free of the server's `max_payload`, in bytes, for headers. */
export const payloadMarginBytes = 64 * 1024
