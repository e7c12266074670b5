import type { Door } from '@kiroku/doors'
import type { ApiDependencies } from './ApiDependencies.ts'
import { startApi, type ApiOptions } from './startApi.ts'

/** The HTTP API as a door of an engine. */
export const httpDoor = (
  dependencies: Omit<ApiDependencies, 'client'>,
  options: Omit<ApiOptions, 'tokens' | 'drainMs' | 'onDefect' | 'onRefused'>,
): Door => ({
  name: 'http',
  start: ({ client, ...access }) => startApi({ ...dependencies, client }, { ...options, ...access }),
})
