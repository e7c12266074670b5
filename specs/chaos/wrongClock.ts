/** Loaded ahead of a program: its wall clock is off by the ms in `CHAOS_CLOCK_OFF_MS`; others' clocks are not. */
const offMs = Number(process.env['CHAOS_CLOCK_OFF_MS'])
const Right = Date

globalThis.Date = class extends Right {
  constructor(...args: ConstructorParameters<typeof Date> | []) {
    if (args.length === 0) super(Right.now() + offMs)
    else super(...args)
  }
  static override now(): number {
    return Right.now() + offMs
  }
} as DateConstructor
