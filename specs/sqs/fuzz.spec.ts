import { expect, it } from 'vitest'
import { fuzzSqs } from '../fuzz/sqs/fuzzSqs.ts'

it('hostile requests to the door for SQS find no 5xx and no hang, and lose nothing that was acknowledged', async () => {
  const found: string[] = []
  const result = await fuzzSqs({ requests: 5_000, seed: 3, tell: (line) => found.push(line) })
  expect(found).toEqual([])
  expect(result).toEqual({ requests: 5_000, serverErrors: 0, hangs: 0, lost: 0 })
})
