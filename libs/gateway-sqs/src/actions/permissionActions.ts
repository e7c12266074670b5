import { noPolicies } from '../queue/attributes.ts'
import { list, text } from '../wire/Shape.ts'
import type { Action } from './Action.ts'

const refused = (): Promise<never> => Promise.reject(noPolicies())

/** Policies decide nothing yet, so they are refused rather than kept. */
export const permissionActions = {
  AddPermission: {
    role: 'admin',
    input: {
      QueueUrl: text,
      Label: text,
      AWSAccountIds: list('AWSAccountId', text),
      Actions: list('ActionName', text),
    },
    output: {},
    run: refused,
  },
  RemovePermission: {
    role: 'admin',
    input: { QueueUrl: text, Label: text },
    output: {},
    run: refused,
  },
} as const satisfies Readonly<Record<string, Action>>
