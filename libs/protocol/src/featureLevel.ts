import { KirokuError } from './error/KirokuError.ts'
import type { LogEvent, LogEventType } from './event/LogEvent.ts'
import { defaultQueueConfig } from './settings/defaultQueueConfig.ts'

/** The highest feature level that this code reads and writes: it rises with each entry of `introduced` that is above it. */
export const featureLevel = 3

/** The feature level from which on queues keep notes, and when they were created, configured and purged. */
export const queueNotesLevel = 3

/** The feature level with which each event and setting came; level 0, which every version reads, is not listed. */
export interface Introduced {
  readonly events: ReadonlyMap<LogEventType, number>
  /** By the name of a setting, or `name=value`. */
  readonly settings: Readonly<Record<string, number>>
}

/** What may be on record only once its level is in force, since a version before it could not read it. */
export const introduced: Introduced = {
  events: new Map([
    ['ClusterVersionRaised', 1],
    ['QueueNoted', queueNotesLevel],
  ]),
  settings: { errorHidden: 1, 'retriesMax=unlimited': 2, 'leaseMs=0': 2, 'leaseMinMs=0': 2 },
}

/**
 * An event as it may be recorded. Errors: `NotFinalized` for one that is, or has settings that are, of a later feature level
 * than the one in force.
 * @param clusterVersion the level in force in the partition
 */
export const recordable = (event: LogEvent, clusterVersion: number): LogEvent => {
  if (clusterVersion >= featureLevel) return event
  requireInForce(event, clusterVersion)
  switch (event.type) {
    case 'QueueCreated':
    case 'QueueConfigured':
      return { ...event, config: inForce(event.config, clusterVersion) }
    case 'SubscriptionCreated':
    case 'SubscriptionConfigured':
      return { ...event, settings: inForce(event.settings, clusterVersion) }
    default:
      return event
  }
}

/**
 * Refuses an event that came after the feature level in force.
 * @param clusterVersion the level in force in the partition. Errors: `NotFinalized`
 */
export const requireInForce = (
  event: LogEvent,
  clusterVersion: number,
  { events }: Introduced = introduced,
): void => {
  const level = events.get(event.type) ?? 0
  if (level <= clusterVersion) return
  // The first event of a level is the one that puts it in force.
  if (event.type === 'ClusterVersionRaised' && level <= event.version) return
  throw notFinalized(`the event ${event.type}`, level, clusterVersion)
}

/**
 * The settings as they may be recorded: those that came after the feature level in force are left out where they are as
 * they were before. Errors: `NotFinalized` for any other of them.
 * @param clusterVersion the level in force in the partition
 */
export const inForce = <S extends object>(
  settings: S,
  clusterVersion: number,
  { settings: levels }: Introduced = introduced,
): S => {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(settings)) {
    const isPlain = typeof value === 'string' || typeof value === 'number'
    const level = Math.max(levels[name] ?? 0, isPlain ? (levels[`${name}=${value}`] ?? 0) : 0)
    if (level <= clusterVersion) kept[name] = value
    else if (value !== (defaultQueueConfig as unknown as Record<string, unknown>)[name])
      throw notFinalized(`the setting ${name} as ${JSON.stringify(value)}`, level, clusterVersion)
  }
  return kept as S
}

const notFinalized = (what: string, level: number, clusterVersion: number): KirokuError =>
  new KirokuError(
    'NotFinalized',
    `${what} needs cluster version ${level}, but ${clusterVersion} is in force; once every node reads it, run \`kiroku cluster finalize\``,
  )
