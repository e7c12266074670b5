import { existsSync } from 'node:fs'
import path from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** Path of a Chromium: the one `KIROKU_CHROMIUM` names, or the first on PATH; undefined: none. */
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

/** The message when none is found, with the command that installs one. */
export const noChromium =
  "no Chromium was found: install Debian's with .ci/install-chromium, or set KIROKU_CHROMIUM to another one"

/** Its flags: it runs as root in a container too, and makes no requests of its own. */
export const chromiumFlags: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
]
