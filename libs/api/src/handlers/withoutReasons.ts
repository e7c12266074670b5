import type { Hold } from '@kiroku/protocol'

/** What a consumer said when it had deliveries held is the text of an error, and for those who handle messages. */
export const withoutReasons = <
  S extends { readonly hold?: Hold },
  Q extends { readonly subscriptions: readonly S[] },
>(
  queue: Q,
): Q => ({
  ...queue,
  subscriptions: queue.subscriptions.map((sub) =>
    sub.hold === undefined ? sub : { ...sub, hold: { ...sub.hold, error: '' } },
  ),
})
