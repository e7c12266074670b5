/** Sizes of an `EnvelopeMemory`; the unit is in the name. */
export interface EnvelopeSizes {
  readonly slabBytes: number
  /** Smaller envelopes lie elsewhere, as do those larger than a slab. */
  readonly envelopeBytesMin: number
  /** Slabs that are kept for later while nothing lies in them. */
  readonly keptSlabsMax: number
  /** Slabs altogether; while all of them are taken, envelopes lie elsewhere. */
  readonly slabsMax: number
}

/** Memory of which envelopes are cut, one after another. */
interface Slab {
  readonly bytes: Uint8Array
  /** Envelopes that may still be read; infinite once one of them stays for good. */
  living: number
}

/**
 * Memory for the envelopes of large sends that is used again: as arrays of their own they would cost a full collection per 24
 * MB. An envelope is given back only by someone who knows for certain that nobody reads it any more; a slab with one that
 * is not is left to the garbage collector.
 */
export class EnvelopeMemory {
  readonly #sizes: EnvelopeSizes
  /** By the memory of its bytes. */
  readonly #slabs = new WeakMap<ArrayBufferLike, Slab>()
  /** Those that the garbage collector may not have found yet. */
  #made: WeakRef<Slab>[] = []
  readonly #kept: Slab[] = []
  /** The slab being cut, and how far. */
  #cut: Slab | undefined
  #cutBytes = 0
  /** Bytes to place elsewhere before the slabs are counted again. */
  #elsewhereBytes = 0

  constructor(sizes: EnvelopeSizes) {
    this.#sizes = sizes
  }

  /** Memory for an envelope, to be overwritten; undefined: it must lie elsewhere. */
  take(bytes: number): Uint8Array | undefined {
    const { slabBytes, envelopeBytesMin } = this.#sizes
    if (bytes < envelopeBytesMin || bytes > slabBytes) return undefined
    if (this.#cut === undefined || this.#cutBytes + bytes > slabBytes) {
      const slab = this.#kept.pop() ?? this.#make(bytes)
      if (slab === undefined) return undefined
      this.#cut = slab
      this.#cutBytes = 0
    }
    this.#cut.living++
    return this.#cut.bytes.subarray(this.#cutBytes, (this.#cutBytes += bytes))
  }

  /** Nobody reads these envelopes any more, and nobody will. */
  giveBack(envelopes: readonly Uint8Array[]): void {
    for (const envelope of envelopes) {
      const slab = this.#slabOf(envelope)
      if (slab === undefined || --slab.living > 0) continue
      if (slab === this.#cut) this.#cutBytes = 0
      else if (this.#kept.length < this.#sizes.keptSlabsMax) this.#kept.push(slab)
    }
  }

  /** Somebody may read these envelopes at any time: their memory is not used again, whatever happens to them later. */
  leave(envelopes: readonly Uint8Array[]): void {
    for (const envelope of envelopes) {
      const slab = this.#slabOf(envelope)
      if (slab !== undefined) slab.living = Infinity
    }
  }

  #slabOf(envelope: Uint8Array): Slab | undefined {
    return envelope.length < this.#sizes.envelopeBytesMin ? undefined : this.#slabs.get(envelope.buffer)
  }

  // A single envelope that waits for long takes up its whole slab: hence a limit.
  #make(bytes: number): Slab | undefined {
    const { slabBytes, slabsMax } = this.#sizes
    if (this.#elsewhereBytes > 0) {
      this.#elsewhereBytes -= bytes
      return undefined
    }
    this.#made = this.#made.filter((each) => each.deref() !== undefined)
    if (this.#made.length >= slabsMax) {
      this.#elsewhereBytes = slabBytes
      return undefined
    }
    const slab: Slab = { bytes: new Uint8Array(slabBytes), living: 0 }
    this.#slabs.set(slab.bytes.buffer, slab)
    this.#made.push(new WeakRef(slab))
    return slab
  }
}
