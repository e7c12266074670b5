import type { MetricFamily } from '@kiroku/doors'
import type { AuditorStatus, FollowedPartition } from '@kiroku/auditor'

/** The auditor's progress, as metrics. */
export const auditorMetrics = (status: AuditorStatus | undefined): MetricFamily[] => {
  const per = (read: (partition: FollowedPartition) => number) =>
    (status?.partitions ?? []).map((each) => ({ labels: { partition: each.partition }, value: read(each) }))
  return [
    {
      type: 'gauge',
      name: 'kiroku_audit_lag',
      help: 'Records of the log that the auditor has not read yet.',
      samples: per(({ seq, lastSeq }) => lastSeq - seq),
    },
    {
      type: 'gauge',
      name: 'kiroku_audit_reached_seq',
      help: 'Last sequence of the log that the auditor has read.',
      samples: per(({ seq }) => seq),
    },
  ]
}
