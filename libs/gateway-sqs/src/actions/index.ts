import type { Action } from './Action.ts'
import { moveTaskActions } from './moveTaskActions.ts'
import { permissionActions } from './permissionActions.ts'
import { queueActions } from './queueActions.ts'
import { receiveActions } from './receiveActions.ts'
import { sendActions } from './sendActions.ts'
import { tagActions } from './tagActions.ts'

export type { Shape } from '../wire/Shape.ts'

/** Every action of SQS, by its name; both protocols go by this table. */
export const actions: Readonly<Record<string, Action>> = {
  ...queueActions,
  ...sendActions,
  ...receiveActions,
  ...moveTaskActions,
  ...tagActions,
  ...permissionActions,
}
