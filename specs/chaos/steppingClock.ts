/** Loaded ahead of a program: its wall clock is off by the ms in the file that `KIROKU_SPEC_CLOCK` names, from moment to moment. */
import { readFileSync } from 'node:fs'

const file = process.env['KIROKU_SPEC_CLOCK']!
const Right = Date
/** How long what the file says is believed, in ms. */
const believedMs = 20
let [offMs, readMs] = [0, -Infinity]

const now = (): number => {
  if (performance.now() - readMs > believedMs) {
    offMs = Number(readFileSync(file, 'utf8'))
    readMs = performance.now()
  }
  return Right.now() + offMs
}

globalThis.Date = class extends Right {
  constructor(...args: ConstructorParameters<typeof Date> | []) {
    if (args.length === 0) super(now())
    else super(...args)
  }
  static override now(): number {
    return now()
  }
} as DateConstructor
