import type { Identity } from '@kiroku/doors'

/** Who asks: a key of the door's account or of another one, or nobody. */
export interface Caller extends Identity {
  /** 12 digits; undefined: a request that nobody signed. */
  readonly account: string | undefined
  readonly keyId?: string
}

/** Who asks without a signature where callers have keys. */
export const nobody: Caller = { name: 'anonymous', grants: { queues: [] }, account: undefined }

/** A caller as policies name it. */
export const callerArn = ({ account, name }: Caller): string | undefined =>
  account === undefined ? undefined : `arn:aws:iam::${account}:user/${name}`
