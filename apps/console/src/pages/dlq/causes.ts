/** Why messages are in a dead-letter queue, by cause, in words. */
const words: Readonly<Record<string, string>> = {
  retry: 'retries exhausted',
  leaseExpired: 'lease expired',
  nextReceive: 'no attempts left',
  onPurpose: 'rejected by the consumer',
  redriven: 'redriven here',
  sent: 'sent here',
}

/** A cause in words; one that is not known keeps its name. */
export const causeWords = (cause: string): string => words[cause] ?? cause

/** What usually helps against a cause, in a sentence. */
const advice: Readonly<Record<string, string>> = {
  retry: 'Fix the cause (or edit the payload), then redrive.',
  leaseExpired:
    'A worker crashed, or takes longer than the lease: check its logs or lengthen the lease of the source queue, then redrive.',
  nextReceive: 'Fix the cause, or allow the source queue more retries, then redrive.',
  onPurpose: 'The consumer rejected them: fix the consumer (or edit the payload), then redrive.',
  redriven: 'Not dead letters: a redrive brought them here. Choose where they go.',
  sent: 'Not dead letters: they were sent here. Choose where they go.',
}

/** What to do about a group, in sentences. */
export const adviceFor = ({
  cause,
  cameBack,
  inflight,
}: {
  readonly cause: string
  readonly cameBack: number
  readonly inflight: number
}): readonly string[] => [
  ...(cameBack === 0
    ? []
    : [
        `${cameBack === 1 ? 'One of them' : `${cameBack} of them`} came back after a redrive: redriving again will hardly help until the cause is fixed.`,
      ]),
  advice[cause] ?? 'Look at one of them, fix the cause, then redrive.',
  ...(inflight === 0
    ? []
    : [`${inflight === 1 ? 'One is' : `${inflight} are`} in flight now, and would stay.`]),
]
