import { expect, it } from 'vitest'
import { liveFeed } from './liveFeed.ts'

it('each principal has its share of feeds, and gets it back when one closes', () => {
  const feed = liveFeed({
    name: 'n',
    incarnation: 'i',
    partitions: 0,
    request: () => Promise.reject(new Error()),
  })
  const opened = Array.from({ length: 100 }, () => feed.open({ principal: 'vic' }))
  expect(() => feed.open({ principal: 'vic' })).toThrow('its share')
  feed.open({ principal: 'ann' }).close()
  opened[0]!.close()
  opened[0]!.close()
  feed.open({ principal: 'vic' })
  expect(() => feed.open({ principal: 'vic' })).toThrow('its share')
  feed.close()
})
