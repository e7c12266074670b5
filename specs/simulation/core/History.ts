import type { Loop } from './Loop.ts'

/** What happened in a world, line by line; kept only on request. */
export class History {
  readonly lines: string[] = []
  readonly isKept: boolean
  readonly #loop: Loop

  constructor(loop: Loop, isKept: boolean) {
    this.#loop = loop
    this.isKept = isKept
  }

  note(line: () => string): void {
    if (!this.isKept) return
    const who = this.#loop.current?.name ?? 'world'
    this.lines.push(`${this.#loop.nowMs.toFixed(1).padStart(9)}  ${who.padEnd(12)} ${line()}`)
  }
}
