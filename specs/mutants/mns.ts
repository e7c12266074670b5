import type { SpecMutant } from './SpecMutant.ts'

/** Breaks of the promises of Alibaba MNS. */
export const mnsMutants: ReadonlyArray<SpecMutant> = [
  {
    id: 'MNS-01',
    file: 'libs/partition/src/receive/DeliveryBuilder.ts',
    from: 'turn.now + poll.leaseMs',
    to: 'turn.now + poll.leaseMs / 2',
    what: 'a lease is half as long as it was asked for',
  },
  {
    id: 'MNS-02',
    file: 'libs/client/src/LeaseKeeper.ts',
    from: 'leftMs <= tickMs + leftMsMin',
    to: 'leftMs <= 0',
    what: 'a lease is renewed after it expired',
  },
  {
    id: 'MNS-03',
    file: 'libs/client/src/LeaseTimes.ts',
    from: 'leaseMs > tickMs + leftMsMin',
    to: 'leaseMs >= tickMs + leftMsMin',
    what: 'a lease that ends with the tick that should renew it is accepted',
  },
  {
    id: 'MNS-04',
    file: 'libs/client/src/LeaseKeeper.ts',
    from: 'if (lease.endMs - nowMs < leftMsMin) return false',
    to: '',
    what: 'a message is begun however little is left of its lease',
  },
  {
    id: 'MNS-05',
    file: 'libs/client/src/LeaseKeeper.ts',
    from: 'nowMs >= this.#stuckMs.get(lease)!',
    to: 'false',
    what: 'the leases of stuck work are renewed forever',
  },
  {
    id: 'MNS-06',
    file: 'libs/client/src/LeaseKeeper.ts',
    from: 'this.#check(lease, nowMs)\n    return true',
    to: 'return true',
    what: 'a lease is not looked at before the next tick',
  },
]
