/** What JSON can say. */
export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }

/** A body: text, bytes, or anything JSON can say. */
export type Body = Uint8Array | Json
