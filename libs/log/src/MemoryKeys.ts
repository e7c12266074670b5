import { KirokuError } from '@kiroku/protocol'
import type { KeyEntry, KeyStore } from './KeyStore.ts'

/** A key store in memory that can be told to fail. */
export class MemoryKeys implements KeyStore {
  readonly keptMs: number
  /** While it is set, no call gets through. */
  isDown = false
  readonly #now: () => number
  readonly #entries = new Map<string, { last: KeyEntry; earlier: Uint8Array[] }>()
  #revision = 0

  constructor(keptMs: number, now: () => number) {
    this.keptMs = keptMs
    this.#now = now
  }

  /** Everything that is stored, even if no call can read it any more: what a copy of the disk would show. */
  get stored(): Uint8Array[] {
    return [...this.#entries.values()].flatMap(({ last, earlier }) => [last.value, ...earlier])
  }

  /** What an entry holds now, whether or not calls get through. */
  peek(name: string): Uint8Array | undefined {
    return this.#entries.get(name)?.last.value
  }

  /** Loses everything, as when the store's disk is gone. */
  lose(): void {
    this.#entries.clear()
  }

  async get(name: string): Promise<KeyEntry | undefined> {
    await this.#reach()
    return this.#find(name)?.last
  }

  async put(name: string, value: Uint8Array, revision: number): Promise<number | undefined> {
    await this.#reach()
    const found = this.#find(name)
    if ((found?.last.revision ?? 0) !== revision) return undefined
    const last = { value: new Uint8Array(value), revision: ++this.#revision, timeMs: this.#now() }
    this.#entries.set(name, {
      last,
      earlier: found === undefined ? [] : [...found.earlier, found.last.value],
    })
    return last.revision
  }

  async scrub(name: string): Promise<void> {
    await this.#reach()
    const found = this.#find(name)
    if (found !== undefined) found.earlier = []
  }

  #find(name: string): { last: KeyEntry; earlier: Uint8Array[] } | undefined {
    const found = this.#entries.get(name)
    if (found === undefined || found.last.timeMs + this.keptMs > this.#now()) return found
    this.#entries.delete(name)
    return undefined
  }

  async #reach(): Promise<void> {
    await Promise.resolve()
    if (this.isDown) throw new KirokuError('KeysUnavailable', 'the key store is down')
  }
}
