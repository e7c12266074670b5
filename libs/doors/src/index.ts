/**
 * What every door shares. Owns addresses, tokens and the actors behind them, limits on what callers take, the mapping of
 * errors to statuses, how bodies look from door to door, and the times of operations. Knows no protocol of its own; talks to a `@kiroku/client`.
 */
export type { Door, DoorAccess, OnDefect, OpenDoor } from './Door.ts'
export { DoorRequests } from './DoorRequests.ts'
export { checkBind, httpUrl, listenError, type Address } from './address.ts'
export { isLoopback } from './isLoopback.ts'
export { actorOf, checkLocalRequest, identify, isFromPage, local, type Headers } from './admit.ts'
export { attributeRows, bodyRows, tellBody } from './bodies.ts'
export { Certificate, checkPair, type CertificatePair } from './Certificate.ts'
export {
  errorHeaders,
  idsByStatus,
  isForCaller,
  statusOf,
  toDoorError,
  type DoorError,
} from './errorStatus.ts'
export { httpLimitsDefault, type HttpLimits } from './HttpLimits.ts'
export { mayRound, parseExact } from './exactJson.ts'
export { InFlight } from './InFlight.ts'
export { roleFor, type Identity, type Need } from './Identity.ts'
export { limitedServer } from './limitedServer.ts'
export { readFamilies, type FamilyRow, type Labels, type MetricFamily, type Reader } from './MetricFamily.ts'
export { parseClaimGrants, type ClaimGrant } from './oidc/ClaimGrant.ts'
export { TokenIssuer, type IssuerOptions } from './oidc/TokenIssuer.ts'
export { isTooMuchJson, jsonLevelsMax, jsonValuesMax, measureJson } from './measureJson.ts'
export { namesPage } from './namesPage.ts'
export { OperationTimes } from './OperationTimes.ts'
export { Refusals, type Refusal } from './Refusals.ts'
export { digestOf, parseTokens, Tokens, type Token } from './Tokens.ts'
export { asXmlText, isXmlText } from './xmlText.ts'
export { mayBeDone, watchOutages } from './watchOutages.ts'
