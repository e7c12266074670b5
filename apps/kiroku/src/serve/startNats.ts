import { startManaged, type ManagedServer } from '@kiroku/nats-server'
import type { Output } from '../cli/Output.ts'
import type { Settings } from '../config/settings.ts'
import { downloadBar } from './downloadBar.ts'
import { memoryMax, natsMemoryShare } from './memoryMax.ts'

/** The usual port of NATS. */
export const natsPortUsual = 4222

/** The nats-server of a data folder, by the settings. Errors: those of `startManaged`. */
export const startNats = (settings: Settings, dataDir: string, out: Output): Promise<ManagedServer> => {
  const download = downloadBar()
  return startManaged({
    dataDir,
    ...(settings.natsPort === undefined ? { portPreferred: natsPortUsual } : { port: settings.natsPort }),
    ...(settings.natsServer === undefined ? {} : { binary: settings.natsServer }),
    memoryBytes: memoryMax() * natsMemoryShare,
    fetch: {
      ...(settings.natsRelease === undefined ? {} : { release: settings.natsRelease }),
      ...(settings.natsVersion === undefined ? {} : { version: settings.natsVersion }),
      onBytes: download.update,
      onProgress: (what) => {
        download.stop()
        out.note(what)
      },
    },
  }).finally(download.stop)
}
