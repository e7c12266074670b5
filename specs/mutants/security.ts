import type { SpecMutant } from './SpecMutant.ts'

/** Breaks of the promises about who may do what. */
export const securityMutants: ReadonlyArray<SpecMutant> = [
  {
    id: 'SEC-01',
    file: 'libs/nats-access/src/rights.ts',
    from: '`kiroku.directory.*.${name}`]',
    to: '`kiroku.directory.*.${name}`, "$JS.API.>"]',
    what: 'a client may read and write every stream',
  },
  {
    id: 'SEC-02',
    file: 'libs/audit/src/hidden/passedBy.ts',
    from: '...near, ...firstOf(lineage), ...(passed ?? [])',
    to: '...near',
    what: 'only the queue that a message is in counts, not those that it passed',
  },
  {
    id: 'SEC-07',
    file: 'libs/audit/src/verify/Witness.ts',
    from: ' && witness.hash === hexOf(hash)',
    to: '',
    what: 'a witness agrees with any record',
  },
  {
    id: 'SEC-03',
    file: 'libs/auditor/src/Shares.ts',
    from: 'waiting.length >= limits.waitingPerPrincipalMax',
    to: 'false',
    what: 'one viewer may have any number of questions waiting for the auditor',
  },
  {
    id: 'SEC-04',
    file: 'libs/doors/src/Tokens.ts',
    from: 'nowMs >= untilMs',
    to: 'false',
    what: 'a token never ends',
  },
  {
    id: 'SEC-05.renewal',
    file: 'libs/doors/src/limitedServer.ts',
    from: '(pair) => server.setSecureContext(pair)',
    to: '() => {}',
    spec: 'specs/security/SEC-05.tls.spec.ts',
    what: 'a renewed certificate is not served',
  },
  {
    id: 'SEC-05.pattern',
    file: 'libs/protocol/src/access/Grants.ts',
    from: 'if (isLike(grant.queues, queue))',
    to: 'if (isLike(grant.queues, grant.queues))',
    spec: 'specs/security/SEC-05.grants.spec.ts',
    what: 'a role on some queues holds on every queue',
  },
  {
    id: 'SEC-05.search',
    file: 'libs/auditor/src/index/grantedQueues.ts',
    from: '!isRestricted(grants)',
    to: 'isRestricted(grants)',
    spec: 'specs/security/SEC-05.grants.spec.ts',
    what: 'a search and a history are of all queues, whatever queues the caller is granted',
  },
  {
    id: 'SEC-05.trace',
    file: 'libs/api/src/granted/traceWithoutOthers.ts',
    from: '...(from === undefined || comesFromElsewhere ? {} : { from }),',
    to: '...(from === undefined ? {} : { from }),',
    spec: 'specs/security/SEC-05.grants.spec.ts',
    what: 'a trace names the queue that a message came from, granted or not',
  },
  {
    id: 'SEC-06',
    file: 'apps/kiroku/src/cli/Output.ts',
    from: '(text: string) => text : shown',
    to: '(text: string) => text : (text: string) => text',
    what: 'lines of a command are printed as their producers wrote them',
  },
]
