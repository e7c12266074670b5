/** Something that reads what came from outside. Whatever it is given, it may only throw errors of Kiroku. */
export type Codec = TextCodec | BytesCodec

interface Named {
  readonly name: string
}

/** Reads text. */
export interface TextCodec extends Named {
  readonly kind: 'text'
  /** What it reads without an error. */
  readonly samples: readonly string[]
  readonly read: (text: string) => unknown
  /** Inputs stay JSON, and only its values are hostile. */
  readonly staysJson?: true
}

/** Reads bytes. */
export interface BytesCodec extends Named {
  readonly kind: 'bytes'
  /** What it reads without an error. */
  readonly samples: readonly Uint8Array[]
  readonly read: (bytes: Uint8Array) => unknown
  /** Repairs checksums in place, so that what stands behind them is read too. */
  readonly reseal?: (bytes: Buffer) => void
}
