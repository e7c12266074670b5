import { httpDoor, type ApiDependencies, type ConsolePages } from '@kiroku/api'
import type { Door } from '@kiroku/doors'
import type { Settings } from '../config/settings.ts'
import { consoleMode } from '../console/consoleMode.ts'
import { httpLimitsOf } from './httpLimitsOf.ts'
import type { KeptAddress } from './keepAddress.ts'
import type { Logger } from './Logger.ts'
import { openFilesMax } from './openFilesMax.ts'

/** What the HTTP API is served with. */
export interface HttpParts {
  readonly settings: Settings
  readonly kept: Pick<KeptAddress, 'address' | 'certificate'>
  readonly dependencies: Omit<ApiDependencies, 'client'>
  /** The console's pages; absent: none. */
  readonly pages: Omit<ConsolePages, 'isReadOnly'> | undefined
  readonly logger: Logger
}

/** The HTTP API by the settings; undefined: there is none. */
export const httpDoorOf = ({ settings, kept, dependencies, pages, logger }: HttpParts): Door | undefined => {
  const { address, certificate } = kept
  if (address === undefined) return undefined
  const files = openFilesMax()
  const limits = httpLimitsOf(settings, files)
  if (limits.connectionsMax < settings.httpConnections)
    logger('warn', 'fewer connections to the API than set', {
      set: settings.httpConnections,
      taken: limits.connectionsMax,
      why: `this process may have ${files} files open: raise that, with LimitNOFILE or ulimit -n`,
    })
  const isReadOnly = consoleMode(settings, address.host) !== 'on'
  return httpDoor(dependencies, {
    ...address,
    ...(pages === undefined ? {} : { console: { ...pages, isReadOnly } }),
    bodyBytesMax: settings.httpBody,
    limits,
    ...(certificate === undefined ? {} : { certificate }),
    onReveal: ({ by, ...what }) =>
      logger('info', 'hidden body revealed', { ...what, by: by.name, from: by.origin }),
  })
}
