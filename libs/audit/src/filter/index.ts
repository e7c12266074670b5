/**
 * The filter language: its fields and its parser. Runs in a browser too, and imports nothing else of this
 * library.
 */
export { filterFields, type FilterField } from './Filter.ts'
export { FilterError } from './FilterError.ts'
export { filterStates, parseFilter } from './parseFilter.ts'
export { momentFields, parseMomentFilter } from './parseMomentFilter.ts'
export { addSettled, settledNone, type MatchingAct, type SettledPiece } from './SettledPiece.ts'
