import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** What can become of a file. */
export type Damage = keyof typeof damages

/** What lies in a folder that has taken the place of a file. */
export const strayFile = 'stray'

/** Does it, with a file that is there. */
export const damages = {
  flipped: (file: string): void => {
    const bytes = readFileSync(file)
    if (bytes.length > 0) bytes[bytes.length >> 1]! ^= 0x10
    writeFileSync(file, bytes)
  },
  'cut short': (file: string): void => truncateSync(file, statSync(file).size >> 1),
  garbage: (file: string): void => {
    const bytes = Buffer.alloc(Math.max(64, statSync(file).size))
    writeFileSync(
      file,
      bytes.map((_, i) => (i * 7_919 + 13) & 0xff),
    )
  },
  empty: (file: string): void => truncateSync(file),
  missing: (file: string): void => rmSync(file),
  'a folder': (file: string): void => {
    rmSync(file)
    mkdirSync(file)
    writeFileSync(path.join(file, strayFile), '')
  },
} as const
