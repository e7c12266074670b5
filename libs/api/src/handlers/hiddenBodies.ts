import type { DeadLetterGroup, Payload, Trace } from '@kiroku/audit'
import type { Client } from '@kiroku/client'
import { isKirokuError } from '@kiroku/protocol'

/** A payload that shows only type and size. */
export const withoutText = ({ contentType, bytes }: Payload): Payload => ({
  ...(contentType === undefined ? {} : { contentType }),
  bytes,
  text: '',
  isBase64: false,
  isCut: bytes > 0,
})

/**
 * Whether one of these queues hides bodies. A deleted one counts as hiding: its setting is no longer known.
 */
export const isBodyHidden = async (
  { queues }: Pick<Client, 'queues'>,
  names: Iterable<string>,
): Promise<boolean> => {
  const settings = [...new Set(names)].map(async (name) => {
    try {
      return (await queues.describe(name)).config.bodyHidden === 'on'
    } catch (error) {
      if (isKirokuError(error) && error.id === 'UnknownQueue') return true
      throw error
    }
  })
  return (await Promise.all(settings)).includes(true)
}

/** Groups of dead letters, without payloads that a queue in the message's lineage hides. */
export const hidePayloads = async (
  { queues }: Pick<Client, 'queues'>,
  trace: (messageId: string) => Promise<Trace>,
  queue: string,
  groups: readonly DeadLetterGroup[],
): Promise<(DeadLetterGroup & { readonly hidden?: true })[]> => {
  const all = await queues.list()
  const open = new Set(all.flatMap(({ name, config }) => (config.bodyHidden === 'on' ? [] : [name])))
  const isOpen = (names: readonly string[]): boolean => names.every((name) => open.has(name))
  const shown: (DeadLetterGroup & { readonly hidden?: true })[] = []
  for (const group of groups) {
    const near = [queue, ...group.origins.map((origin) => origin.queue)]
    // The lineage needs to be read only if some queue hides bodies.
    const isShown =
      isOpen(near) && (open.size === all.length || isOpen((await trace(group.samples[0]!)).queues))
    shown.push(isShown ? group : { ...group, payload: withoutText(group.payload), hidden: true })
  }
  return shown
}
