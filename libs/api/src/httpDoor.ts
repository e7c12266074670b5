import type { Door } from '@kiroku/doors'
import type { ApiSources } from './ApiSources.ts'
import { startApi, type ApiOptions } from './startApi.ts'

/** The HTTP API as a door of an engine. */
export const httpDoor = (
  sources: Omit<ApiSources, 'client'>,
  options: Omit<ApiOptions, 'tokens' | 'drainMs' | 'onDefect'>,
): Door => ({
  name: 'http',
  start: ({ client, ...access }) => startApi({ ...sources, client }, { ...options, ...access }),
})
