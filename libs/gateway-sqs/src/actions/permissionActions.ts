import { withoutPermission, withPermission } from '../access/policy/permissions.ts'
import { policyNote, policyOf } from '../queue/attributes.ts'
import { list, text } from '../wire/Shape.ts'
import type { Action, Input } from './Action.ts'
import type { Call } from './Call.ts'
import { queueOf, required } from './input.ts'

/** Changes the policy of a queue by what it is now; of several changes each begins with what the one before it left. */
const change = async (
  call: Call,
  input: Input,
  changed: (policy: string | undefined, queue: string) => string,
): Promise<object> => {
  const { client, queues, by } = call
  const name = queueOf(call, input)
  await queues.inTurn(name, async () => {
    const notes = policyNote(changed(policyOf(await queues.now(name)), name))
    await client.queues.update(name, { notes }, by)
    await queues.now(name)
  })
  return {}
}

/** Permissions are statements of the policy of a queue, by their labels. */
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
    run: async (call, input) => {
      const label = required(input, 'Label')
      const accounts = (input['AWSAccountIds'] ?? []) as readonly string[]
      const actions = (input['Actions'] ?? []) as readonly string[]
      return {
        ...(await change(call, input, (policy, queue) =>
          withPermission(policy, { label, accounts, actions }, call.arnOf(queue)),
        )),
      }
    },
  },
  RemovePermission: {
    role: 'admin',
    input: { QueueUrl: text, Label: text },
    output: {},
    run: async (call, input) => {
      const label = required(input, 'Label')
      return { ...(await change(call, input, (policy) => withoutPermission(policy, label))) }
    },
  },
} as const satisfies Readonly<Record<string, Action>>
