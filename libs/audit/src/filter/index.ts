/**
 * The filter language as such: what may be asked, and how it is read. It runs in a browser too, and draws nothing of
 * the rest of this library in.
 */
export { filterFields, type FilterField } from './Filter.ts'
export { FilterError } from './FilterError.ts'
export { filterStates, parseFilter } from './parseFilter.ts'
export { momentFields, parseMomentFilter } from './parseMomentFilter.ts'
export { addSettled, settledNone, type MatchingAct, type SettledPiece } from './SettledPiece.ts'
