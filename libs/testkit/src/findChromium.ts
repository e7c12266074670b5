import { existsSync } from 'node:fs'
import path from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** Where a Chromium lies: what `KIROKU_CHROMIUM` names, or the first on PATH; undefined: there is none. */
export const findChromium = (): string | undefined => {
  const given = process.env['KIROKU_CHROMIUM']
  if (given !== undefined && given !== '') return given
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter))
    for (const name of names) {
      const file = path.join(folder, name)
      if (folder !== '' && existsSync(file)) return file
    }
  return undefined
}

/** What is said where none is found, and the one command that brings one. */
export const noChromium =
  "no Chromium was found: .ci/install-chromium brings Debian's, and KIROKU_CHROMIUM names another one"

/** How it is started: as root in a container too, and asking nobody for anything by itself. */
export const chromiumFlags: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
]
