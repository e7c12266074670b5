import { expect, it } from 'vitest'
import { ServerEvents } from './serverEvents.ts'

it('gives server-sent events once they are complete, wherever the pieces are cut', () => {
  const text =
    'event: snapshot\nid: a:1\ndata: {"x":1}\n\n: a comment\n\nevent: changes\nid: a:2\ndata: 1\ndata: 2\n\n'
  const expected = [
    { event: 'snapshot', id: 'a:1', data: '{"x":1}' },
    { event: 'changes', id: 'a:2', data: '1\n2' },
  ]
  for (let cut = 0; cut <= text.length; cut++) {
    const events = new ServerEvents()
    expect([...events.push(text.slice(0, cut)), ...events.push(text.slice(cut))]).toEqual(expected)
  }
})
