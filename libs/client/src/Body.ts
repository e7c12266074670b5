/** Any JSON value. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }

/** A body: text, bytes, or any JSON value. */
export type Body = Uint8Array | Json
