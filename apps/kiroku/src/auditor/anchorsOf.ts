import path from 'node:path'
import type { AuditorSetup } from './auditorScript.ts'
import type { Settings } from '../config/settings.ts'

/** Where the settings want anchors. */
export const anchorsOf = ({
  anchors,
  anchorKey,
  anchorEvery,
}: Pick<Settings, 'anchors' | 'anchorKey' | 'anchorEvery'>): Pick<AuditorSetup, 'anchors'> =>
  anchors === undefined
    ? {}
    : {
        anchors: {
          file: path.resolve(anchors),
          ...(anchorKey === undefined ? {} : { keyFile: path.resolve(anchorKey) }),
          every: anchorEvery,
        },
      }
