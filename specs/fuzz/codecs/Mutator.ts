import type { Chance } from '../Chance.ts'
import { hostileTexts, hostileValues } from '../hostile.ts'
import type { TextCodec } from './Codec.ts'

/** How many changes an input has at most. */
const changesMax = 4

/** Characters that mean something to some reader. */
const marks = [...'{}[]()"\'`:,.;-+*/\\|=<>!?#%&@~^$_ \t\n\r\u0000\u001b\u2028\ud800é😀019aZ']

/** Deeper values are not looked into. */
const levelsMax = 8

/** Makes hostile inputs out of valid ones. */
export class Mutator {
  readonly #chance: Chance

  constructor(chance: Chance) {
    this.#chance = chance
  }

  /** A text that is like one of the samples, or like none. */
  text({ samples, staysJson }: Pick<TextCodec, 'samples' | 'staysJson'>): string {
    const chance = this.#chance
    let text = chance.pick(samples)
    if (staysJson === true) return this.#json(text)
    if (chance.is(0.05)) return chance.pick(hostileTexts)
    if (chance.is(0.4)) text = this.#json(text)
    for (let n = this.#int(changesMax); n > 0; n--) text = this.#changed(text, samples)
    return text
  }

  /** Bytes that are like one of the samples, or like none. */
  bytes(samples: readonly Uint8Array[]): Buffer {
    const chance = this.#chance
    let bytes = Buffer.from(chance.pick(samples))
    if (chance.is(0.02)) bytes = Buffer.from(Array.from({ length: this.#int(300) }, () => this.#int(256)))
    for (let n = 1 + this.#int(changesMax); n > 0; n--) bytes = this.#changedBytes(bytes, samples)
    return bytes
  }

  #changed(text: string, samples: readonly string[]): string {
    const chance = this.#chance
    const at = this.#int(text.length + 1)
    const end = Math.min(text.length, at + this.#int(8))
    switch (this.#int(8)) {
      case 0:
        return text.slice(0, at)
      case 1:
        return text.slice(0, at) + text.slice(end)
      case 2:
        return text.slice(0, at) + chance.pick(marks) + text.slice(at)
      case 3:
        return text.slice(0, at) + chance.pick(marks) + text.slice(at + 1)
      case 4:
        return text.slice(0, at) + chance.pick(hostileTexts).slice(0, 100) + text.slice(end)
      case 5:
        return text.slice(0, end) + text.slice(at, end).repeat(this.#int(50)) + text.slice(end)
      case 6:
        return text.slice(0, at) + chance.pick(samples).slice(this.#int(20))
      default:
        return text.replaceAll(/\d+/g, (digits) =>
          chance.is(0.3) ? chance.pick(['0', '-1', '1e999', '9007199254740993', '4294967296', '']) : digits,
        )
    }
  }

  #changedBytes(bytes: Buffer<ArrayBuffer>, samples: readonly Uint8Array[]): Buffer<ArrayBuffer> {
    const at = this.#int(bytes.length + 1)
    const end = Math.min(bytes.length, at + this.#int(16))
    switch (this.#int(7)) {
      case 0:
        return bytes.subarray(0, at)
      case 1:
        return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)])
      case 2:
        if (at < bytes.length) bytes[at]! ^= 1 << this.#int(8)
        return bytes
      case 3:
        if (at < bytes.length) bytes[at] = this.#chance.pick([0, 0x7f, 0x80, 0xc0, 0xc1, 0xd4, 0xdd, 0xff])
        return bytes
      case 4:
        return bytes.fill(this.#chance.pick([0, 0xff]), at, end)
      case 5:
        return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)])
      default: {
        const other = this.#chance.pick(samples)
        return Buffer.concat([bytes.subarray(0, at), other.subarray(this.#int(other.length))])
      }
    }
  }

  /** JSON, or lines of it, with some values replaced by hostile ones; any other text as it is. */
  #json(text: string): string {
    const lines = text.trim().startsWith('{') && text.trim().includes('}\n{') ? text.split('\n') : [text]
    const at = this.#int(lines.length)
    try {
      lines[at] = this.#written(JSON.parse(lines[at]!) as unknown, 0)
    } catch {
      return text
    }
    return lines.join('\n')
  }

  #written(value: unknown, level: number): string {
    const chance = this.#chance
    if (chance.is(0.06)) return chance.pick(hostileValues)
    if (typeof value !== 'object' || value === null || level > levelsMax) return JSON.stringify(value)
    if (Array.isArray(value)) {
      const items = value.map((each) => this.#written(each, level + 1))
      if (items.length > 0 && chance.is(0.1)) items.splice(this.#int(items.length), 1)
      return `[${items.join(',')}]`
    }
    const fields = Object.entries(value)
      .filter(() => !chance.is(0.03))
      .map(([key, each]) => {
        const name = chance.is(0.02) ? chance.pick(['__proto__', 'toString', '', 'constructor']) : key
        return `${JSON.stringify(name)}:${this.#written(each, level + 1)}`
      })
    return `{${fields.join(',')}}`
  }

  #int(below: number): number {
    return Math.floor(this.#chance.next() * below)
  }
}
