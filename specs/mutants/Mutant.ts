/** A small deliberate break of what ships, which shows that something notices it. */
export interface Mutant {
  /** The file that it breaks, from the root of the workspace, with `/`. */
  readonly file: string
  /** Text that occurs exactly once in the file. */
  readonly from: string
  /** Its replacement. */
  readonly to: string
  /** What is wrong then, in a sentence. */
  readonly what: string
}
