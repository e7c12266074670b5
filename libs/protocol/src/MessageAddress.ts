/** Where a message lies. */
export interface MessageAddress {
  readonly incarnation: string
  readonly partition: number
  readonly queue: number
  readonly number: number
}
