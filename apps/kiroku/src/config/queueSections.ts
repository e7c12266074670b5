import { basename } from 'node:path'
import type { QueueSection } from '@kiroku/client'
import {
  checkQueueName,
  checkSetting,
  checkSubscription,
  defaultQueueConfig,
  isKirokuError,
  isOwnSetting,
  KirokuError,
  unknownSetting,
} from '@kiroku/protocol'
import { where, type Place } from '@kiroku/worker/located'
import type { ConfigFile } from './ConfigFile.ts'
import { parseFlag, queueFlags } from './queueFlags.ts'

/** The queues of a file, for `client.queues.apply`. */
export interface QueueSections {
  readonly source: string
  readonly sections: Readonly<Record<string, QueueSection>>
}

type Values = Record<string, unknown>

/**
 * Reads the queues of a configuration file: by name, with the keys of `docs/reference/configuration.md`. Durations and sizes
 * are numbers of ms and bytes, or strings as on the command line. Errors: `InvalidConfig` with line and
 * column.
 */
export const queueSections = (file: ConfigFile): QueueSections => {
  const at = <A>(place: Place, read: () => A): A => {
    try {
      return read()
    } catch (error) {
      if (!isKirokuError(error)) throw error
      const whose = place.slice(0, -1).join('.')
      const prefix = whose === '' ? '' : `${whose}: `
      throw new KirokuError('InvalidConfig', `${where(file, place)}: ${prefix}${error.message}`)
    }
  }
  /** Each value of an object, read with its place. */
  const each = (
    place: Place,
    object: unknown,
    read: (key: string, value: unknown, place: Place) => unknown,
  ): Values => {
    at(place, () => checkObject(place, object))
    const values: Values = {}
    for (const [key, value] of Object.entries(object as Values))
      values[key] = read(key, value, [...place, key])
    return values
  }
  /** Each section of an object by the names of queues or subscriptions. */
  const named = (place: Place, object: unknown, read: (section: unknown, place: Place) => Values): Values =>
    each(place, object, (name, section, own) => {
      at(own, () => checkQueueName(name))
      return read(section, own)
    })
  const subscription = (section: unknown, place: Place): Values =>
    each(place, section, (key, value, own) => at(own, () => ownValueOf(key, value)))
  const queue = (section: unknown, place: Place): Values =>
    each(place, section, (key, value, own) =>
      key === 'subscriptions' ? named(own, value, subscription) : at(own, () => valueOf(key, value)),
    )
  const sections = named(['queues'], file.root['queues'] ?? {}, queue) as QueueSections['sections']
  return { source: basename(file.file), sections }
}

const checkObject = (place: Place, value: unknown): void => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new KirokuError('InvalidConfig', `${place.at(-1)} must be an object`)
}

const valueOf = (key: string, value: unknown): unknown => {
  const flag = queueFlags.find((each) => each.key === key)
  if (flag === undefined) throw unknownSetting(key)
  // Counts are numbers in a file.
  const isText = typeof value === 'string' && (flag.row.kind !== 'count' || value === 'unlimited')
  const parsed = isText ? parseFlag(flag.row, value, key) : value
  if (flag.row.kind === 'queue' && typeof parsed === 'string') checkQueueName(parsed)
  else checkSetting(flag.key, parsed)
  return parsed
}

const ownValueOf = (key: string, value: unknown): unknown => {
  if (isOwnSetting(key)) return valueOf(key, value)
  // Checks tags, and refuses what is not a setting of a subscription.
  checkSubscription(defaultQueueConfig, {}, { [key]: value })
  return value
}
