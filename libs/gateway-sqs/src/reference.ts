/** What the reference of this door is made from. */
export { actions, type Shape } from './actions/index.ts'
export { systemAttributeNames } from './actions/receiveActions.ts'
export { attributeNames } from './queue/attributes.ts'
export { errorKinds } from './SqsError.ts'
export {
  actionParity,
  attributeParity,
  errorParity,
  errorsNotHere,
  errorsUnshown,
  systemAttributeParity,
  type Parity,
} from './parity.ts'
