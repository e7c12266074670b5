/** Why messages lie in a dead-letter queue, by the cause, as people read it. */
const words: Readonly<Record<string, string>> = {
  retry: 'failed as often as it may',
  leaseExpired: 'nobody settled it in time',
  nextReceive: 'no attempt was left',
  onPurpose: 'given up by the consumer',
  redriven: 'redriven to here',
  sent: 'sent to here',
}

/** A cause in words; one that is not known keeps its name. */
export const causeWords = (cause: string): string => words[cause] ?? cause

/** What usually helps against a cause, in a sentence. */
const advice: Readonly<Record<string, string>> = {
  retry: 'Mend what the error names, or correct the bodies; then bring them back.',
  leaseExpired:
    'A worker crashed, or needs longer than the lease: look at its logs, or make the lease of the origin longer; then bring them back.',
  nextReceive: 'Allow the origin more retries, or mend what failed; then bring them back.',
  onPurpose: 'The consumer refused them: correct the bodies, or mend the consumer; then bring them back.',
  redriven: 'They are no dead letters: a redrive brought them here. Choose where they are to go.',
  sent: 'They are no dead letters: they were sent here. Choose where they are to go.',
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
        `${cameBack === 1 ? 'One of them' : `${cameBack} of them`} came back after a redrive: redriving once more will hardly help before the cause is mended.`,
      ]),
  advice[cause] ?? 'Look at one of them, and bring them back when the cause is mended.',
  ...(inflight === 0
    ? []
    : [`${inflight === 1 ? 'One is' : `${inflight} are`} in somebody's hands now, and would stay.`]),
]
