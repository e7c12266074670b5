import { expect, it } from 'vitest'
import { leaderless, serversOf, standOf } from './serversOf.ts'

const replica = { server: 'b', isCurrent: true, isOffline: false, lag: 0, heardMs: 900 }

it('shows per server which streams it leads and the state of its copies', () => {
  const late = { ...replica, isCurrent: false, lag: 1_204 }
  const servers = serversOf([
    { partition: 0, stream: { leader: 'a', replicas: [replica] } },
    { partition: 1, stream: { leader: 'a', replicas: [late] } },
    { partition: 2, stream: { leader: 'b', replicas: [] } },
    { partition: 3 },
  ])
  expect(servers).toMatchObject([
    { name: 'a', leads: [0, 1], copies: [] },
    { name: 'b', leads: [2], copies: [{ partition: 0 }, { partition: 1 }] },
  ])
  expect(servers[1]!.copies.map(standOf)).toEqual(['current', '1,204 behind'])
  expect(standOf({ ...replica, heardMs: 9_204 })).toBe('silent for 9.2 s')
  expect(standOf({ ...late, isOffline: true })).toBe('offline')
})

it('shows which streams have no leader, and nothing of unreported ones', () => {
  expect(leaderless([{ partition: 0, stream: { replicas: [replica] } }, { partition: 1 }])).toEqual([0])
})
