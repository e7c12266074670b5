import type { Ranges } from '../Ranges.ts'
import { flag, listOf, number, numbers, optional, shape, text, type Shapes } from './shape.ts'

/** Messages of one delivery, named by what their receipts hold. */
export interface SettleItem {
  /** Queue id, subscription generation and delivery as in the receipt. */
  readonly queue: number
  readonly sub: number
  readonly delivery: number
  readonly numbers: Ranges
}

/** Messages of a delivery whose reply reached no one, and the end of the lease that it told. */
export interface UndeliveredItem extends SettleItem {
  readonly leaseUntil: number
}

/** One message of a settling command that was not accepted. */
export interface Refusal {
  /** Index of the item in the command, and the message's number. */
  readonly item: number
  readonly number: number
  readonly error: 'UnknownReceipt' | 'ReceiptExpired' | 'LeaseCapReached' | 'LeaseTooShort' | 'InvalidReceipt'
}

/** How deliveries ended. */
export type SettleCommand =
  | { type: 'Ack'; items: readonly SettleItem[] }
  | {
      type: 'Retry'
      items: readonly SettleItem[]
      /** Pause in ms; absent: the queue's policy. */
      delayMs?: number
      error?: string
    }
  | { type: 'Extend'; items: readonly SettleItem[]; leaseMs: number }
  | {
      type: 'Release'
      items: readonly SettleItem[]
      /** Pause in ms; absent or 0: none. */
      delayMs?: number
      error?: string
      /** Deliveries of the subscriptions stand still for as long; a hold that ends later stays. Needs a delay. */
      holdSubscription?: boolean
    }
  | { type: 'DeadLetter'; items: readonly SettleItem[]; error?: string }

/** Answers by command type. */
export interface SettleAnswers {
  Ack: { readonly refused: readonly Refusal[] }
  Retry: { readonly refused: readonly Refusal[] }
  Extend: { readonly refused: readonly Refusal[]; readonly leaseUntil: number; readonly now: number }
  Release: { readonly refused: readonly Refusal[] }
  DeadLetter: { readonly refused: readonly Refusal[] }
}

const items = listOf(shape({ queue: number, sub: number, delivery: number, numbers }))
const settling = { items }

/** What each of these commands must hold; ranges and meaning are the partition's to check. */
export const settleShapes: Shapes<SettleCommand> = {
  Ack: shape(settling),
  Retry: shape({ ...settling, delayMs: optional(number), error: optional(text) }),
  Extend: shape({ ...settling, leaseMs: number }),
  Release: shape({
    ...settling,
    delayMs: optional(number),
    error: optional(text),
    holdSubscription: optional(flag),
  }),
  DeadLetter: shape({ ...settling, error: optional(text) }),
}
