/** Mixes numbers into two 32-bit lanes; sums of the results do not depend on any order. */
export class Mixer {
  a = 0
  b = 0
  #x = 0
  #y = 0

  /** What was mixed since `begin`, as a number that stands for it. */
  get sum(): number {
    return (this.#y >>> 0) * 0x20_0000 + (this.#x >>> 11)
  }

  begin(kind: number): void {
    this.#x = kind | 0
    this.#y = ~kind
  }

  add(n: number): void {
    const low = n | 0
    const high = (n / 0x1_0000_0000) | 0
    this.#x = Math.imul(this.#x ^ low, 0x85ebca6b)
    this.#x ^= this.#x >>> 13
    this.#y = Math.imul(this.#y ^ high ^ (low >>> 7), 0xc2b2ae35) + this.#x
    this.#y ^= this.#y >>> 16
  }

  end(): void {
    this.a = (this.a + Math.imul(this.#x ^ (this.#y >>> 15), 0x9e3779b1)) | 0
    this.b = (this.b + Math.imul(this.#y ^ (this.#x >>> 15), 0x27d4eb2f)) | 0
  }

  text(kind: number, s: string): void {
    this.begin(kind)
    this.characters(s)
    this.end()
  }

  characters(s: string): void {
    for (let i = 0; i < s.length; i++) this.add(s.charCodeAt(i))
  }

  /** Some numbers, with how many they are. */
  all(numbers: ArrayLike<number>): void {
    this.add(numbers.length)
    for (let i = 0; i < numbers.length; i++) this.add(numbers[i]!)
  }

  get hex(): string {
    return (this.a >>> 0).toString(16).padStart(8, '0') + (this.b >>> 0).toString(16).padStart(8, '0')
  }
}
