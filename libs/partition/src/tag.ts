import { limits } from './limits.ts'

/** Whether a message may have this tag; the empty one is none. */
export const isTag = (tag: unknown): tag is string =>
  typeof tag === 'string' && tag.length <= limits.tagCharactersMax && !tag.includes('|')

/** What a tag may be, in words. */
export const tagRule = `a tag has up to ${limits.tagCharactersMax} characters, and no "|" among them`
