import { limits } from './limits.ts'

/** Whether a message may have this tag; the empty one is none. */
export const isTag = (tag: unknown): tag is string =>
  typeof tag === 'string' && tag.length <= limits.tagCharactersMax && !tag.includes('|')

/** Whether a message may have this group; the empty one is none. */
export const isGroup = (group: unknown): group is string =>
  typeof group === 'string' && group.length <= limits.groupCharactersMax

/** Whether a message may have this dedup id; the empty one is none. */
export const isDedupId = (id: unknown): id is string =>
  typeof id === 'string' && id.length <= limits.dedupIdCharactersMax

/** Whether a log may have this name: it is part of names of streams, buckets and subjects. */
export const isLogName = (name: string): boolean => /^[A-Za-z0-9-]{1,40}$/.test(name)

/** What a log's name may be, in words. */
export const logNameRule = "a log's name has 1 to 40 letters, digits and hyphens"

/** What a dedup id may be, in words. */
export const dedupIdRule = `a dedup id has up to ${limits.dedupIdCharactersMax} characters`

/** What a group may be, in words. */
export const groupRule = `a group has up to ${limits.groupCharactersMax} characters`

/** What a tag may be, in words. */
export const tagRule = `a tag has up to ${limits.tagCharactersMax} characters, and no "|" among them`
