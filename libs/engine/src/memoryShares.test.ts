import { expect, it } from 'vitest'
import { limits } from './limits.ts'
import { memoryShares } from './memoryShares.ts'

const mebibyte = 1024 * 1024

it.each([
  ['512 MB', 512, 4, { bodyCacheBytesMax: 32, mailboxBytesMax: 8, stateBytesMax: 56 }],
  ['384 MB', 384, 4, { bodyCacheBytesMax: 24, mailboxBytesMax: 8, stateBytesMax: 24 }],
  ['1 GB', 1_024, 4, { bodyCacheBytesMax: 64, mailboxBytesMax: 16, stateBytesMax: 204.8 }],
  ['4 GB, 64 partitions', 4_096, 64, { bodyCacheBytesMax: 256, mailboxBytesMax: 8, stateBytesMax: 819.2 }],
  ['24 GB', 24_576, 4, { bodyCacheBytesMax: 256, mailboxBytesMax: 64, stateBytesMax: 4_915.2 }],
])(
  'a node keeps in memory what fits: %s',
  (_, memory, partitions, { bodyCacheBytesMax, mailboxBytesMax, stateBytesMax }) => {
    expect(memoryShares(memory * mebibyte, partitions)).toEqual({
      bodyCacheBytesMax: bodyCacheBytesMax * mebibyte,
      mailboxBytesMax: mailboxBytesMax * mebibyte,
      stateBytesMax: expect.closeTo(stateBytesMax * mebibyte) as number,
    })
  },
)

it('a mailbox has room for several frames, however little memory there is', () =>
  expect(memoryShares(mebibyte, 64).mailboxBytesMax).toBeGreaterThanOrEqual(4 * limits.frameBytesMax))
