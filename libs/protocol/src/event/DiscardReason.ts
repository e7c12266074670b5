/** Why a message was discarded. */
export type DiscardReason =
  | 'exhausted'
  | 'expired'
  | 'purged'
  | 'operator'
  | 'duplicate'
  | 'filtered'
  | 'recalled'
  | 'rolledBack'
  | 'redriven'
  | 'erased'
