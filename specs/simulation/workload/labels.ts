/**
 * What the bodies of the world say: who sent them, which send, which message of it. In a queue that recognizes
 * repeats, behind a `#` also by what: two labels with one key are one message.
 */
export const labelFor = (producer: string, send: number, index: number, key?: string): string =>
  key === undefined ? `${producer} ${send}.${index}` : `${producer} ${send}.${index} #${key}`

/** What makes a label's message the same as another's. */
export const identityOf = (label: string): string => label.split('#')[1] ?? label

/** Whether its queue recognizes repeats. */
export const isKeyed = (label: string): boolean => label.includes('#')
